import Foundation
import Shared

/// Removes jobs that are done, once their dedupe keys can no longer be needed.
struct DeleteDoneJobs: JobHandler {
    static let kind = "deleteDoneJobs"

    /// Seconds. Longer than the longest period of the schedule, so that no occasion is enqueued again after its job
    /// was removed, with a day to spare for clocks that go wrong.
    static let retention: TimeInterval = 2 * 86_400

    let jobs: any JobStore

    var kind: String { Self.kind }
    /// A slow disk may need a while for the jobs of an hour.
    let deadline = Duration.seconds(120)

    func run(_ context: JobContext) async throws {
        try await jobs.deleteDone(before: context.now - Self.retention)
    }
}
