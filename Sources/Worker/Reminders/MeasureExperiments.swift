import Shared

/// Looks who is a member while sprints of experiments run, so that their counts at the close notice who left.
///
/// It logs nothing: neither a side nor a number belongs into a log.
struct MeasureExperiments: JobHandler {
    static let kind = "measureExperiments"

    let measurer: ExperimentMeasurer

    var kind: String { Self.kind }
    /// Few, for the next occasion comes in an hour and does the same.
    let maximumAttempts = 3
    /// A team of 10,000 takes seconds, and few teams experiment at once.
    let deadline = Duration.seconds(300)

    func run(_ context: JobContext) async throws {
        try await measurer.noteMembers(at: context.now)
    }
}
