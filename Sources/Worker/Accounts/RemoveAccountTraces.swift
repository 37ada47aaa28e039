import Domain
import Services

/// Deletes all traces of a deleted account. The job is deleted as well after the last one, since it contains the
/// account's id.
///
/// A failing step does not prevent the others; the job is retried with all steps.
struct RemoveAccountTraces: JobHandler {
    let traces: AccountTraceRemoval

    var kind: String { AccountTraces.jobKind }
    /// About three hours: nothing else repeats this.
    let maximumAttempts = 30
    /// Checks every sprint of every team for a receipt.
    let deadline = Duration.seconds(300)
    let isDeletedWhenDone = true

    func run(_ context: JobContext) async throws {
        let account = try context.parameters(as: AccountTraces.self)
        var failures: [String] = []
        for step in AccountTraceRemoval.Step.allCases {
            try Task.checkCancellation()
            do {
                try await traces.remove(step, of: account, for: context.job.id)
            } catch {
                failures.append("\(step.rawValue) (\(JobError(error).message))")
            }
        }
        // Not the error of a step: nothing here can be rejected permanently.
        guard failures.isEmpty else { throw JobError.unavailable(failures.joined(separator: ", ")) }
    }
}
