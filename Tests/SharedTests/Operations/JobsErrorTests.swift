import Domain
import Foundation
import Services
import Storage
import Testing

@Suite struct JobsErrorTests {
    private struct Leaky: Error, CustomStringConvertible {
        let description = "anna@example.org"
    }

    @Test func `An unknown error keeps its type and none of its words`() {
        let error = JobError(Leaky())
        #expect(error.message.contains("Leaky"))
        #expect(!error.message.contains("anna"))
        #expect(error.retry == .after(nil))
    }

    @Test func `A problem that an operator can solve is told in its words, and tried again`() {
        let file = CocoaError(.fileWriteNoPermission, userInfo: [NSFilePathErrorKey: "/backups/x"])
        for (error, words) in [
            (OperatorError("Free some space.") as any Error, "unavailable: Free some space."),
            (file, "unavailable: /backups/x cannot be written by the user this program runs as."),
        ] {
            #expect(JobError(error).message == words && JobError(error).retry == .after(nil))
        }
    }

    @Test func `An unavailable store is tried again when it says`() {
        #expect(JobError(StorageError.unavailable).retry == .after(.seconds(2)))
        let busy = AppError(.tooManyRequests, "Too many.", retryAfter: 60)
        #expect(JobError(busy).retry == .after(.seconds(60)))
    }

    @Test(arguments: AppError.Code.allCases.filter { ![.unavailable, .tooManyRequests, .tooSlow].contains($0) })
    func `Any other refusal is permanent`(code: AppError.Code) {
        #expect(JobError(AppError(code, "No.")).retry == .never)
    }

    @Test func `An unreadable payload is permanent and not quoted`() {
        let job = Job(kind: "mail", payload: #"{"to": "anna@example.org"}"#, runAt: .distantPast)
        let context = JobContext(job: job, now: .distantPast)
        #expect(throws: JobError.unreadablePayload) {
            try context.parameters(as: [Int].self)
        }
        #expect(JobError.unreadablePayload.retry == .never)
    }
}
