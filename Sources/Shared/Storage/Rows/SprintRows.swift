package import Domain
package import Foundation

/// Sprints and their aggregates.
package protocol SprintRows {
    /// `nil` if there is none.
    func sprint(_ key: Sprint.Key) throws -> SprintRecord?

    /// The team's sprint with this label; `nil` if there is none.
    func sprint(of teamID: Team.ID, labelled label: SprintLabel) throws -> SprintRecord?

    /// The team's sprint that ends at `instant`: the one before a sprint that starts then; `nil` if there is none.
    func sprint(of teamID: Team.ID, endingAt instant: Date) throws -> SprintRecord?

    /// The team's first sprint that ends after the instant.
    func sprint(of teamID: Team.ID, endingAfter instant: Date) throws -> Sprint?

    /// The team's sprint with the latest start; `nil` before its first.
    func latestSprint(of teamID: Team.ID) throws -> SprintRecord?

    /// The team's sprints, ordered by start.
    func sprints(of teamID: Team.ID, matching filter: SprintFilter) throws -> [SprintRecord]

    /// The team's sprints that start after the instant, ordered by start.
    func sprints(of teamID: Team.ID, startingAfter instant: Date) throws -> [SprintRecord]

    /// The keys of all sprints the team ever had, ordered by start.
    func sprintKeys(of teamID: Team.ID) throws -> [Sprint.Key]

    /// The number of all sprints of the team.
    func sprintCount(of teamID: Team.ID) throws -> Int

    /// The teams' sprints that are not closed.
    func openSprints(of teamIDs: Set<Team.ID>) throws -> [SprintRecord]

    /// Sprints to be closed or cleared: open ones with `closes` at or before `now`, or closed ones that are not
    /// cleared; ordered by `closes`.
    /// - Parameter teamID: only this team's; `nil` means any.
    func unfinishedSprints(of teamID: Team.ID?, at now: Date, limit: Int) throws -> [SprintRecord]

    /// The keys of all teams' sprints that are not cleared, ordered by team and start.
    /// - Parameter after: the last one of the previous page.
    func unclearedSprints(after: Sprint.Key?, limit: Int) throws -> [Sprint.Key]

    /// Whether the sprint has a ballot key, with or without its private half.
    func hasBallotKey(_ key: Sprint.Key) throws -> Bool

    /// The labels with this year and number that the team's sprints have.
    func labels(of teamID: Team.ID, like label: SprintLabel) throws -> Set<SprintLabel>
}

/// Changes of sprints in a transaction. `BallotStore` changes the aggregates.
package protocol SprintChanges {
    /// - Throws: `StorageError.duplicate` if a team has a sprint with the same start or label.
    func insert(_ records: [SprintRecord]) throws

    /// Adds feedback that becomes readable with the first published snapshot of its sprint, under random ids.
    func importFeedback(_ texts: [(key: Sprint.Key, text: FeedbackText)]) throws

    /// Deletes the team's cleared sprints that another tool counted.
    /// - Returns: how many there were.
    func deleteImportedSprints(of teamID: Team.ID) throws -> Int

    /// Replaces threshold and raise of a sprint.
    func setThreshold(_ threshold: Int, _ raise: ThresholdRaise, of key: Sprint.Key) throws

    /// Opens a closed sprint without ballots and papers under a label of the same year and number. Deletes what the
    /// close has stored: the number eligible, the rest of the ballot key, and results of experiments.
    func reopen(_ key: Sprint.Key, as label: SprintLabel) throws

    /// Deletes a sprint without ballots and papers, with results of experiments. Its ballot key is deleted if the
    /// private half is; otherwise a sprint that starts at the same time gets it.
    func deleteEmptySprint(_ key: Sprint.Key) throws

    /// Adds one to `joined` of the team's open sprints.
    func countJoined(in teamID: Team.ID) throws
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
