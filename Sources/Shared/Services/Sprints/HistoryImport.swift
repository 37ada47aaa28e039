package import Domain
import Foundation
package import Ports
package import Storage

/// Adds results that another tool counted to a team's history.
///
/// An imported sprint is closed, and marked as imported: it has no ballots, feedback, or count to check. The rule that
/// fewer than k votes are never shown holds for it too.
package struct HistoryImport: Sendable {
    private let store: any Store
    private let clock: WallClock

    /// Reads and writes through `stores`.
    package init(stores: Stores, clock: WallClock) {
        store = stores.rows
        self.clock = clock
    }

    /// Adds all results of a file, or none.
    /// - Parameter replacing: removes earlier imports of the team first.
    /// - Returns: how many results were removed.
    /// - Throws: `AppError`: `notFound` if there is no such team; `unprocessable` or `conflict`, naming the place in the file,
    ///   for a result of fewer votes than the team's threshold, one that is not over, one that overlaps another or has
    ///   its name, and one that has the name of a sprint still to come; `unprocessable` for more results than lists show.
    package func add(_ file: HistoryFile, to teamID: Team.ID, replacing: Bool) async throws -> Int {
        let results = file.results.sorted { $0.days.lowerBound < $1.days.lowerBound }
        for (earlier, later) in zip(results, results.dropFirst())
        where later.days.lowerBound <= earlier.days.upperBound {
            throw AppError(.conflict, "\(later.place) overlaps \(earlier.place.lowercased()).")
        }
        var places: [SprintLabel: String] = [:]
        for result in results {
            guard let label = result.label else { continue }
            if let other = places.updateValue(result.place, forKey: label) {
                throw AppError(.conflict, "\(result.place) has the same name as \(other.lowercased()): \(label).")
            }
        }
        let now = clock.now
        do {
            return try await store.transaction { rows in
                guard try rows.lock(teamID), let team = try rows.team(teamID) else { throw AppError.noSuchTeam }
                for result in results { try Self.require(result, of: team, at: now) }
                let removed = replacing ? try rows.deleteImportedSprints(of: teamID) : 0
                try Self.checkCapacity(for: results.count, in: team, at: now, rows)
                try rows.insert(Self.records(of: results, for: team, in: rows))
                try rows.countPublication(of: teamID)
                return removed
            }
        } catch StorageError.duplicate {
            throw AppError(.conflict, "Two results begin at the same moment or have the same name.")
        }
    }

    /// Removes all imported results of a team.
    /// - Returns: how many there were.
    /// - Throws: `AppError.notFound` if there is no such team.
    package func removeAll(of teamID: Team.ID) async throws -> Int {
        try await store.transaction { rows in
            guard try rows.lock(teamID) else { throw AppError.noSuchTeam }
            let removed = try rows.deleteImportedSprints(of: teamID)
            try rows.countPublication(of: teamID)
            return removed
        }
    }

    private static func require(_ result: ImportedResult, of team: Team, at now: Date) throws(AppError) {
        let settings = team.settings
        guard result.votes >= settings.threshold else {
            throw AppError(
                .unprocessable,
                "\(result.place) has \(result.votes) \(result.votes == 1 ? "vote" : "votes"), but \(team.name) shows no "
                    + "result of fewer than \(settings.threshold). Please leave it out.")
        }
        guard result.days.upperBound < CalendarDay(instant: now, in: settings.zone) else {
            throw AppError(.unprocessable, "\(result.place) isn’t over yet: its last day is \(result.days.upperBound).")
        }
        let present = settings.calendar.span(containing: now, in: settings.zone).label
        if let label = result.label, (label.year, label.number) >= (present.year, present.number) {
            throw AppError(
                .unprocessable,
                "\(result.place): the team’s own sprints will have the name \(label). Please leave the column sprint out."
            )
        }
    }

    /// Lists, charts and downloads show the latest `SprintFilter.maximumCount` sprints of a team: any older result
    /// would be stored and hardly ever seen.
    private static func checkCapacity(
        for count: Int, in team: Team, at now: Date, _ rows: any StoreTransaction
    ) throws {
        // The running sprint is stored by the first request for it.
        let isRunningStored = try rows.sprint(of: team.id, endingAfter: now) != nil
        let present = try rows.sprintCount(of: team.id) + (isRunningStored ? 0 : 1)
        let room = max(SprintFilter.maximumCount - present, 0)
        guard count > room else { return }
        let results = count == 1 ? "this result" : "these \(count) results"
        let advice = room > 0 ? "Please import only the newest \(room)." : "It has no room for more."
        throw AppError(
            .unprocessable,
            "With \(results) \(team.name) would have \(present + count) sprints, including the running one. "
                + "Its history shows at most \(SprintFilter.maximumCount). \(advice)")
    }

    private static func records(
        of results: [ImportedResult], for team: Team, in rows: any StoreTransaction
    ) throws -> [SprintRecord] {
        // The names in the file come first.
        var taken = Set(results.compactMap(\.label))
        return try results.map { result in
            let span = span(of: result, for: team)
            guard span.start < span.end else {
                throw AppError(.unprocessable, "\(result.place): there was no such day in \(team.settings.timeZone).")
            }
            if let other = try rows.sprint(of: team.id, endingAfter: span.start), other.start < span.end {
                throw AppError(
                    .conflict,
                    "\(result.place) overlaps sprint \(other.label), which the team has already."
                        + (other.isImported ? " To replace earlier imports: --replace" : ""))
            }
            let present = try rows.labels(of: team.id, like: span.label)
            taken.formUnion(present)
            let label = result.label == nil ? span.label.firstFree(among: taken) : span.label
            guard let label, result.label.map({ !present.contains($0) }) ?? true else {
                throw AppError(.conflict, "\(result.place): the team has another sprint \(span.label).")
            }
            taken.insert(label)
            // The columns are unknown.
            let tally = Tally(count: result.votes, sum: result.sumInTenths, distribution: Tally.empty.distribution)
            return SprintRecord(
                imported: tally, in: SprintSpan(label: label, start: span.start, end: span.end), for: team,
                eligible: result.eligible)
        }
    }

    private static func span(of result: ImportedResult, for team: Team) -> SprintSpan {
        let zone = team.settings.zone
        let start = result.days.lowerBound.firstInstant(in: zone)
        return SprintSpan(
            label: result.label ?? team.settings.calendar.span(containing: start, in: zone).label, start: start,
            end: result.days.upperBound.adding(days: 1).firstInstant(in: zone))
    }
}

extension SprintRecord {
    /// A finished sprint of a team that another tool counted. One state was published, the final one, as under `close`.
    /// - Parameter tally: without a distribution; at least the team's threshold of votes.
    init(imported tally: Tally, in span: SprintSpan, for team: Team, eligible: Int) {
        self.init(
            sprint: Sprint(
                teamID: team.id, start: span.start, end: span.end, closes: span.end, label: span.label,
                threshold: team.settings.threshold, policy: .close, feedbackReaders: team.settings.feedbackReaders,
                isImported: true),
            state: PublicationState(
                current: tally, snapshot: tally, snapshotNumber: 1, published: tally, publishedNumber: 1,
                isClosed: true),
            eligible: eligible)
    }
}
