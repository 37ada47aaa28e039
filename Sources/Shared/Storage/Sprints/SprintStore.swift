package import Domain
package import Foundation

/// Stores sprints and their aggregates in the collection `happiness`. `BallotStore` changes the aggregates. Every call
/// may also throw `StorageError.unavailable`.
package protocol SprintStore: TransactionalStore {
    /// `nil` if there is none.
    func find(_ key: Sprint.Key) async throws -> SprintRecord?

    /// By label; `nil` if the team has no sprint with it.
    func find(teamID: Team.ID, label: SprintLabel) async throws -> SprintRecord?

    /// The team's sprint that ends at `instant`: the one before a sprint that starts then; `nil` if there is none.
    func find(teamID: Team.ID, endingAt instant: Date) async throws -> SprintRecord?

    /// The team's sprint with the latest start; `nil` before its first.
    func latest(teamID: Team.ID) async throws -> SprintRecord?

    /// Ordered by start.
    func list(teamID: Team.ID, matching filter: SprintFilter) async throws -> [SprintRecord]

    /// The keys of all sprints the team ever had, ordered by start.
    func keys(teamID: Team.ID) async throws -> [Sprint.Key]

    /// Sprints to be closed or cleared: open ones with `closes` at or before `now`, or closed ones that are not
    /// cleared; ordered by `closes`.
    /// - Parameter teamID: only this team's; `nil` means any.
    func unfinished(teamID: Team.ID?, at now: Date, limit: Int) async throws -> [SprintRecord]

    /// The keys of all teams' sprints that are not cleared, ordered by team and start.
    /// - Parameter after: the last one of the previous page.
    func uncleared(after: Sprint.Key?, limit: Int) async throws -> [Sprint.Key]
}

/// Selects sprints of a team; the bounds are the years and numbers of labels, both included.
package enum SprintFilter: Hashable, Sendable {
    /// All sprints; if there are more than `maximumCount`, the latest.
    case all
    /// The sprints with this year in their label.
    case year(Int)
    /// From one label to another, compared by year and number.
    case range(from: SprintLabel, through: SprintLabel)

    /// Maximum number of sprints in one result: twenty years of fortnights.
    package static let maximumCount = 520
}
