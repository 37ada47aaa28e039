import Services

/// Records who is a member while an experiment's sprint runs, so that the counts at its end take into account who left.
///
/// It logs nothing: neither a side nor a number may appear in a log.
struct MeasureExperiments: JobHandler {
    static let kind = "measureExperiments"

    let measurer: ExperimentMeasurer

    var kind: String { Self.kind }
    /// Few, since the schedule starts the same job again an hour later.
    let maximumAttempts = 3
    /// A team of 10,000 takes seconds, and few teams run experiments at the same time.
    let deadline = Duration.seconds(300)

    func run(_ context: JobContext) async throws {
        try await measurer.noteMembers(at: context.now)
    }
}
