package import Domain
import Foundation
package import Ports
package import Storage

/// Opens a sprint again that a wrong clock has closed, for the operator.
///
/// The close removes receipts and destroys the key of ballot papers. So a sprint in which someone has taken part stays
/// closed: members could vote twice, or papers would lose their key.
package struct SprintReopening: Sendable {
    private let store: any Store
    private let clock: WallClock

    /// - Parameter clock: determines which sprints have not begun.
    package init(stores: Stores, clock: WallClock) {
        store = stores.rows
        self.clock = clock
    }

    /// Opens a closed sprint, in one transaction. Sprints that have not begun yet were started by the same wrong clock:
    /// they are deleted with their reminders. The sprint's own reminders that were recorded as missed, although their
    /// day is not over, may be sent again.
    ///
    /// Devices remember a sprint's ballot key by its label, and reject another one (decision 44). A sprint that had a
    /// key therefore gets the next free label of its number, such as `2026/3b`; and a deleted sprint's key is kept for
    /// the time when that sprint begins.
    /// - Returns: the sprint with its present label.
    /// - Throws: `AppError`: `notFound`; `conflict` if it is not closed; `unprocessable` with the reason why it stays closed.
    package func reopen(_ label: SprintLabel, of teamID: Team.ID) async throws -> Sprint {
        let now = clock.now
        return try await store.transaction { rows in
            guard try rows.lock(teamID), let team = try rows.team(teamID) else { throw AppError.noSuchTeam }
            guard let record = try rows.sprint(of: teamID, labelled: label) else {
                throw AppError(.notFound, "The team has no sprint \(label).", reason: .noSuchSprint)
            }
            try Self.requireUntouched(record)
            let sprint = record.sprint
            let early = try rows.sprints(of: teamID, startingAfter: max(now, sprint.start))
            guard early.allSatisfy(\.isUntouched) else {
                throw AppError(
                    .unprocessable, "A later sprint that has not begun yet has votes or ballot papers.",
                    reason: .laterSprintHasVotes)
            }
            guard now < sprint.closes || !early.isEmpty else {
                throw AppError(
                    .unprocessable, "Sprint \(label) is over, so it would be closed again at once.",
                    reason: .sprintOver)
            }
            if !early.isEmpty {
                try rows.delete(try rows.reminders(of: Set(early.map(\.sprint.key))))
                for record in early { try rows.deleteEmptySprint(record.sprint.key) }
            }
            let today = CalendarDay(instant: now, in: team.settings.zone)
            let missed = try rows.reminders(of: [sprint.key])
                .filter { $0.trouble == .windowMissed && $0.occasion.day >= today }
            if !missed.isEmpty { try rows.delete(missed) }
            let reopened = try Self.label(of: sprint, in: rows)
            try rows.reopen(sprint.key, as: reopened)
            try rows.countPublication(of: teamID)
            return sprint.labelled(reopened)
        }
    }

    private static func label(of sprint: Sprint, in rows: any StoreTransaction) throws -> SprintLabel {
        guard try rows.hasBallotKey(sprint.key) else { return sprint.label }
        let taken = try rows.labels(of: sprint.teamID, like: sprint.label)
        // Not an earlier one: if the sprint was opened again before, that was its label with another key.
        guard let free = sprint.label.nextFree(among: taken) else { throw AppError.labelTaken }
        return free
    }

    private static func requireUntouched(_ record: SprintRecord) throws {
        let label = record.sprint.label
        guard record.state.isClosed else {
            throw AppError(.conflict, "Sprint \(label) is not closed.", reason: .sprintNotClosed)
        }
        guard !record.sprint.isImported else {
            throw AppError(
                .unprocessable, "Sprint \(label) was imported from another tool.", reason: .sprintImported)
        }
        guard record.state.publishedNumber == 0 else {
            throw AppError(
                .unprocessable, "Sprint \(label) stays closed: its result has been published.",
                reason: .sprintPublished)
        }
        guard record.state.current.count == 0 else {
            throw AppError(
                .unprocessable,
                "Sprint \(label) stays closed: it has votes, and the close has removed the record of who voted, so "
                    + "members could vote twice.", reason: .sprintHasVotes)
        }
        guard record.papers.issued == 0 else {
            throw AppError(
                .unprocessable,
                "Sprint \(label) stays closed: ballot papers were issued, and the close has destroyed their key.",
                reason: .sprintHasPapers)
        }
    }
}
