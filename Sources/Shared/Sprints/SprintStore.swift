public import Foundation

/// Where sprints and their aggregates are kept: the collection `happiness`. `BallotStore` changes the aggregates.
/// Every call may also throw `AppError.storeUnavailable`.
public protocol SprintStore: Sendable {
    /// Starts a sprint, unless the team already has one whose end lies after `sprint.start`: then that one, the
    /// earliest such, is the answer and nothing is stored. A label the team has used gets the next free suffix
    /// (`b`, `c`, …). Callers that race get the same sprint. Counts in the team's `publicationNumber`.
    /// - Throws: `AppError.notFound` if there is no such team.
    func start(_ sprint: Sprint) async throws -> Sprint

    /// `nil` if there is none.
    func find(_ key: Sprint.Key) async throws -> SprintRecord?

    /// By label; `nil` if the team has none of that name.
    func find(teamID: Team.ID, label: SprintLabel) async throws -> SprintRecord?

    /// The team's sprint that ends at `instant`: the one before a sprint that starts then; `nil` if there is none.
    func find(teamID: Team.ID, endingAt instant: Date) async throws -> SprintRecord?

    /// The team's sprint with the latest start; `nil` before its first.
    func latest(teamID: Team.ID) async throws -> SprintRecord?

    /// In order of start.
    func list(teamID: Team.ID, matching filter: SprintFilter) async throws -> [SprintRecord]

    /// The keys of all sprints the team ever had, in order of start.
    func keys(teamID: Team.ID) async throws -> [Sprint.Key]

    /// Sprints that are to be closed or cleared: not closed though `closes` is at or before `now`, or closed and not
    /// cleared; in order of `closes`.
    /// - Parameter teamID: only this team's; `nil` means any.
    func unfinished(teamID: Team.ID?, at now: Date, limit: Int) async throws -> [SprintRecord]

    /// The keys of all sprints of any team that are not cleared, in order of team and start.
    /// - Parameter after: the last one of the previous page.
    func uncleared(after: Sprint.Key?, limit: Int) async throws -> [Sprint.Key]

    /// Adds sprints that are over, closed records included, as they are: for imports and demo data.
    /// - Throws: `AppError.conflict` if a key or label is taken; then none was added.
    func importClosed(_ records: [SprintRecord]) async throws
}

/// Which of a team's sprints; the bounds are labels' years and numbers, both included.
public enum SprintFilter: Hashable, Sendable {
    /// Every sprint, up to `maximumCount`, the latest ones.
    case all
    /// The sprints whose label has this year.
    case year(Int)
    /// From one label to another, compared by year and number.
    case range(from: SprintLabel, through: SprintLabel)

    /// The most sprints one answer holds: twenty years of fortnights.
    public static let maximumCount = 520
}

extension AppError {
    /// For stores: the team has used up every label of the sprint's year and number.
    static let labelTaken = AppError(
        .conflict, "Every sprint name of this number and year is used.", reason: "label-taken")
}
