import Domain
import Foundation
import Services
import Storage

/// Deletes completed jobs once their dedupe keys are no longer needed.
struct DeleteDoneJobs: JobHandler {
    static let kind = "deleteDoneJobs"

    /// Seconds. Longer than the longest period of the schedule, so that no job is enqueued twice for the same time,
    /// plus a day for wrong clocks.
    static let retention: TimeInterval = 2 * 86_400

    /// Seconds. Done test mails say that mails were accepted, and when; nothing else does.
    static let testMailRetention: TimeInterval = 90 * 86_400

    let jobs: any JobStore

    var kind: String { Self.kind }
    /// A slow disk may need a while for an hour's jobs.
    let deadline = Duration.seconds(120)

    func run(_ context: JobContext) async throws {
        try await jobs.deleteDone(before: context.now - Self.retention, except: MailJobKind.test.rawValue)
        try await jobs.deleteDone(before: context.now - Self.testMailRetention)
    }
}
