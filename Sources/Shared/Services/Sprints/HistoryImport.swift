import Foundation

/// Adds results that another tool counted to a team's history.
///
/// An imported sprint is closed, and marked as imported: it has no ballots, feedback, or count to check. The rule that
/// fewer than k votes are never shown holds for it too.
package struct HistoryImport: Sendable {
    private let teams: any TeamStore
    private let sprints: any SprintStore
    private let clock: WallClock

    /// Reads and writes through `stores`.
    package init(stores: Stores, clock: WallClock) {
        teams = stores.teams
        sprints = stores.sprints
        self.clock = clock
    }

    /// Adds all results of a file, or none.
    /// - Parameter replacing: removes earlier imports of the team first.
    /// - Returns: how many results were removed.
    /// - Throws: `AppError`: `notFound` if there is no such team; `refused` or `conflict`, naming the place in the file,
    ///   for a result of fewer votes than the team's threshold, one that is not over, and one that overlaps another or
    ///   has its name.
    package func add(_ file: HistoryFile, to teamID: Team.ID, replacing: Bool) async throws -> Int {
        guard let team = try await teams.find(id: teamID) else { throw AppError.noSuchTeam }
        let results = file.results.sorted { $0.days.lowerBound < $1.days.lowerBound }
        for (earlier, later) in zip(results, results.dropFirst())
        where later.days.lowerBound <= earlier.days.upperBound {
            throw AppError(.conflict, "\(later.place) overlaps \(earlier.place.lowercased()).")
        }
        let today = CalendarDay(instant: clock.now, in: team.settings.zone)
        for result in results {
            try Self.require(result, of: team, today: today)
        }
        return try await sprints.transaction { rows in
            guard try rows.lock(teamID) else { throw AppError.noSuchTeam }
            let removed = replacing ? try rows.deleteImportedSprints(of: teamID) : 0
            try rows.insert(Self.records(of: results, for: team, in: rows))
            try rows.countPublication(of: teamID)
            return removed
        }
    }

    private static func require(_ result: ImportedResult, of team: Team, today: CalendarDay) throws(AppError) {
        guard result.votes >= team.settings.threshold else {
            throw AppError(
                .refused,
                "\(result.place) has \(result.votes) \(result.votes == 1 ? "vote" : "votes"), but \(team.name) shows no "
                    + "result of fewer than \(team.settings.threshold). Please leave it out.")
        }
        guard result.days.upperBound < today else {
            throw AppError(.refused, "\(result.place) isn’t over yet: its last day is \(result.days.upperBound).")
        }
    }

    private static func records(
        of results: [ImportedResult], for team: Team, in rows: any StoreTransaction
    ) throws -> [SprintRecord] {
        var taken: Set<SprintLabel> = []
        return try results.map { result in
            let span = span(of: result, for: team)
            if let other = try rows.sprint(of: team.id, endingAfter: span.start), other.start < span.end {
                throw AppError(
                    .conflict,
                    "\(result.place) overlaps sprint \(other.label), which the team has already."
                        + (other.isImported ? " To replace earlier imports: --replace" : ""))
            }
            taken.formUnion(try rows.labels(of: team.id, like: span.label))
            guard let label = result.label == nil ? span.label.firstFree(among: taken) : span.label,
                taken.insert(label).inserted
            else { throw AppError(.conflict, "\(result.place): the team has another sprint \(span.label).") }
            return record(of: result, in: span, called: label, for: team)
        }
    }

    private static func span(of result: ImportedResult, for team: Team) -> SprintSpan {
        let zone = team.settings.zone
        let start = result.days.lowerBound.firstInstant(in: zone)
        return SprintSpan(
            label: result.label ?? team.settings.calendar.span(containing: start, in: zone).label, start: start,
            end: result.days.upperBound.adding(days: 1).firstInstant(in: zone))
    }

    private static func record(
        of result: ImportedResult, in span: SprintSpan, called label: SprintLabel, for team: Team
    ) -> SprintRecord {
        // The columns are unknown. One state was published, the final one, as under `close`.
        let tally = Tally(count: result.votes, sum: result.sumInTenths, distribution: Tally.empty.distribution)
        return SprintRecord(
            sprint: Sprint(
                teamID: team.id, start: span.start, end: span.end, closes: span.end, label: label,
                threshold: team.settings.threshold, policy: .close, feedbackReaders: team.settings.feedbackReaders,
                isImported: true),
            state: PublicationState(
                current: tally, snapshot: tally, snapshotNumber: 1, published: tally, publishedNumber: 1,
                isClosed: true),
            eligible: result.eligible)
    }
}
