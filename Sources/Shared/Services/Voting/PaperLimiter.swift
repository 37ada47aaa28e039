import Domain
import Synchronization

/// Answers one request for a ballot paper at a time for each user, in all their teams. So a user with many connections
/// takes one place in the queue of signatures.
final class PaperLimiter: Sendable {
    private struct Running {
        let request: PaperRequest
        let answer: Task<[UInt8], any Error>
        /// Callers that wait for the answer, the first one included.
        var callers = 1
    }

    /// At most one entry for each user with an open request; removed with its answer.
    private let running = Mutex<[User.ID: Running]>([:])

    private static let underWay = AppError(
        .tooManyRequests, "Another ballot paper of yours is being signed. Please try again in a moment.",
        reason: .paperUnderWay, retryAfter: 1)

    /// Number of callers that wait for a user's answer. For tests.
    func callerCount(of userID: User.ID) -> Int {
        running.withLock { $0[userID]?.callers ?? 0 }
    }

    /// Runs `sign`, or returns the signature that the same request is getting already.
    /// - Throws: `AppError.tooManyRequests` (`paper-under-way`) while another request of the user runs; what `sign`
    ///   throws.
    func answer(
        to request: PaperRequest, _ sign: @escaping @Sendable () async throws -> [UInt8]
    ) async throws -> [UInt8] {
        let userID = request.voter.userID
        let answer = try running.withLock { running -> Task<[UInt8], any Error> in
            if let present = running[userID] {
                guard present.request == request else { throw Self.underWay }
                running[userID]?.callers += 1
                return present.answer
            }
            // Unstructured, so that the cancellation of the first caller does not reach it: a device that lost its
            // connection sends the same request again. It ends before its callers do, cancelled or not, so a server that
            // stops closes no store under it.
            let answer = Task {
                defer { self.running.withLock { $0[userID] = nil } }
                return try await sign()
            }
            running[userID] = Running(request: request, answer: answer)
            return answer
        }
        return try await answer.value
    }
}
