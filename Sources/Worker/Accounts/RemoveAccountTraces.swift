import Shared

/// Removes what is left of an account that was deleted, until nothing is: then the job goes, too, for it names the
/// account.
///
/// A step that fails keeps no other from its work; the job is tried again with all of them.
struct RemoveAccountTraces: JobHandler {
    let traces: AccountTraceRemoval

    var kind: String { AccountTraces.jobKind }
    /// Some three hours: whatever is wrong, nobody else repeats this.
    let maximumAttempts = 30
    /// Every sprint of every team is tried for a receipt.
    let deadline = Duration.seconds(300)
    let isErasedWhenDone = true

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
        // Not what a step threw: nothing here can be refused for good.
        guard failures.isEmpty else { throw JobError.unavailable(failures.joined(separator: ", ")) }
    }
}
