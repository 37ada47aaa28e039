package import Domain
package import Foundation

/// Teams and memberships in a transaction.
package protocol TeamRows {
    /// Makes transactions that lock the same team take effect one after the other.
    /// - Returns: whether the team exists.
    @discardableResult
    func lock(_ teamID: Team.ID) throws -> Bool

    /// `nil` if there is none.
    func team(_ id: Team.ID) throws -> Team?

    /// Which of the teams exist.
    func existing(among ids: Set<Team.ID>) throws -> Set<Team.ID>

    /// By name, ignoring case.
    func team(name: String) throws -> Team?

    /// - Throws: `StorageError.duplicate` if the id or the case-folded name exists.
    func insert(_ team: Team) throws

    /// Replaces name, settings and share link of the team with the same id, but not its counts.
    /// - Throws: `StorageError.duplicate` as `insert`.
    func update(_ team: Team) throws

    /// Deletes the team and its invitations. Everything else that names the team is deleted with it, or by
    /// `TeamStore.purgeDeletedTeam`; members must be deleted before.
    func delete(_ team: Team) throws

    /// Adds to `memberCount`, which also locks the team.
    /// - Returns: whether the team exists.
    @discardableResult
    func changeMemberCount(of teamID: Team.ID, by number: Int) throws -> Bool

    /// Invalidates every cache of what the team's members may see, which also locks the team.
    /// - Returns: whether the team exists.
    @discardableResult
    func countPublication(of teamID: Team.ID) throws -> Bool

    /// `TeamStore.hasPast`.
    func hasPast(_ teamID: Team.ID) throws -> Bool

    /// `nil` if the user is not in the team.
    func membership(of userID: User.ID, in teamID: Team.ID) throws -> Membership?

    /// All memberships of the user, in no particular order.
    func memberships(of userID: User.ID) throws -> [Membership]

    /// The ids of some members, at most `limit`.
    func memberIDs(of teamID: Team.ID, limit: Int) throws -> [User.ID]

    /// Whether the team has a member with this role; `nil` means any role.
    func hasMember(of teamID: Team.ID, role: Membership.Role?) throws -> Bool

    /// - Throws: `StorageError.duplicate` if the user is in the team.
    func insert(_ membership: Membership) throws

    /// Replaces the role.
    func update(_ membership: Membership) throws

    /// Deletes the membership alone.
    func delete(_ membership: Membership) throws
}

/// Sprints in a transaction.
package protocol SprintRows {
    /// The teams' sprints that are not closed.
    func openSprints(of teamIDs: Set<Team.ID>) throws -> [SprintRecord]

    /// The number of all sprints of the team.
    func sprintCount(of teamID: Team.ID) throws -> Int

    /// The team's first sprint that ends after the instant.
    func sprint(of teamID: Team.ID, endingAfter instant: Date) throws -> Sprint?

    /// The team's sprint with this label; `nil` if there is none.
    func sprint(of teamID: Team.ID, labelled label: SprintLabel) throws -> SprintRecord?

    /// The team's sprints that start after the instant, ordered by start.
    func sprints(of teamID: Team.ID, startingAfter instant: Date) throws -> [SprintRecord]

    /// Whether the sprint has a ballot key, with or without its private half.
    func hasBallotKey(_ key: Sprint.Key) throws -> Bool

    /// The labels with this year and number that the team's sprints have.
    func labels(of teamID: Team.ID, like label: SprintLabel) throws -> Set<SprintLabel>

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
