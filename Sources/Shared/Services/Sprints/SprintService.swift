package import Domain
import Foundation
package import Ports
package import Storage
import Synchronization

/// Determines the running sprint: starts it on the first request for it, and closes those that are over.
///
/// Any process does both, so neither sprints nor results depend on the worker. A sprint's terms do not change, so the
/// running one is cached until it ends.
package final class SprintService: Sendable {
    private let store: any Store
    private let clock: WallClock
    private let closing: SprintClosing
    private let timing: SprintTiming
    private let running = Mutex<[Team.ID: Remembered]>([:])

    private struct Remembered {
        let sprint: Sprint
        /// The first instant at which the store must be read again: the end of the sprint, or of the previous one's
        /// grace period.
        let end: Date
    }

    /// Maximum number of cached teams; beyond it the cache is emptied, which costs one read per team.
    private static let maximumRemembered = 10_000
    /// Overdue sprints per read. A team has more than two only if there was no request for weeks.
    private static let pageSize = 50

    /// - Parameters:
    ///   - secret: for closing sprints.
    ///   - timing: checked before a sprint is started, or closed because its time is over.
    package init(stores: Stores, secret: BallotSecret, clock: WallClock, timing: SprintTiming = .trusted) {
        store = stores.rows
        self.clock = clock
        self.timing = timing
        closing = SprintClosing(stores: stores, secret: secret)
    }

    /// The running sprint. The first call that finds it missing starts it and closes overdue predecessors. While the
    /// clock is not reliable, it is the team's latest sprint, even if that is over.
    /// - Throws: `AppError.notFound` if there is no such team, `AppError.clockDoubtful` if it has no sprint to show.
    package func runningSprint(of teamID: Team.ID) async throws -> Sprint {
        let now = clock.now
        if let known = running.withLock({ $0[teamID] }), (known.sprint.start..<known.end).contains(now) {
            return known.sprint
        }
        guard let team = try await store.team(teamID) else {
            throw AppError.noSuchTeam
        }
        do {
            try await closeOverdue(teamID: teamID, at: now)
            let sprint = try await latestOrNext(of: team, at: now)
            try await remember(sprint, at: now)
            return sprint
        } catch let error as AppError where error == .clockDoubtful {
            guard let latest = try await store.read({ try $0.latestSprint(of: teamID) }) else { throw error }
            return latest.sprint
        }
    }

    private func latestOrNext(of team: Team, at now: Date) async throws -> Sprint {
        let latest = try await store.read { try $0.latestSprint(of: team.id) }?.sprint
        // Also returned if it has not begun by this clock, which is then behind the clock of the process that started
        // it. Starting another sprint would create sprints weeks ahead of time.
        if let latest, now < latest.end { return latest }
        try await timing.require(at: now)
        return try await store.transaction { try $0.start(Self.next(of: team, after: latest, at: now)) }
    }

    /// The sprints that currently accept ballots: the running one, and the previous one during its grace period.
    package func openSprints(of teamID: Team.ID) async throws -> [Sprint] {
        let current = try await runningSprint(of: teamID)
        guard let before = try await sprint(before: current), before.state.isClosed == false,
            clock.now < before.sprint.closes
        else { return [current] }
        return [before.sprint, current]
    }

    /// One of the team's sprints; `nil` if it has none with this label.
    package func find(_ label: SprintLabel, of teamID: Team.ID) async throws -> Sprint? {
        try await store.read { try $0.sprint(of: teamID, labelled: label) }?.sprint
    }

    /// Closes a sprint if every member has voted: see `SprintClosing.closeIfEveryoneVoted`.
    @discardableResult
    package func closeIfEveryoneVoted(_ key: Sprint.Key) async throws -> Bool {
        try await closing.closeIfEveryoneVoted(key)
    }

    /// Removes a team from the cache because its settings changed.
    package func forget(_ teamID: Team.ID) {
        running.withLock { _ = $0.removeValue(forKey: teamID) }
    }

    /// Caches a sprint that has begun by this clock, until one must be started or closed.
    private func remember(_ sprint: Sprint, at now: Date) async throws {
        var end = sprint.end
        if let before = try await self.sprint(before: sprint), !before.state.isClosed {
            end = min(end, before.sprint.closes)
        }
        guard sprint.start < end, (sprint.start..<end).contains(now) else { return }
        running.withLock { running in
            if running.count >= Self.maximumRemembered { running.removeAll() }
            running[sprint.teamID] = Remembered(sprint: sprint, end: end)
        }
    }

    /// Closes every overdue sprint of the team, and clears those whose closing was interrupted.
    private func closeOverdue(teamID: Team.ID, at now: Date) async throws {
        while true {
            let unfinished = try await store.read {
                try $0.unfinishedSprints(of: teamID, at: now, limit: Self.pageSize)
            }
            if unfinished.contains(where: { !$0.state.isClosed }) { try await timing.require(at: now) }
            for record in unfinished {
                try await closing.close(record.sprint.key)
            }
            if unfinished.count < Self.pageSize { return }
        }
    }

    private func sprint(before sprint: Sprint) async throws -> SprintRecord? {
        try await store.read { try $0.sprint(of: sprint.teamID, endingAt: sprint.start) }
    }

    /// The sprint of the team's calendar at `now`; after a change of calendar or zone, the rest from the end of the
    /// latest sprint to the next boundary. Its policy is decided with the members that the team has now.
    static func next(of team: Team, after latest: Sprint?, at now: Date) -> Sprint {
        let settings = team.settings
        var span = settings.calendar.span(containing: now, in: settings.zone)
        if let latest, span.start < latest.end {
            span = settings.calendar.span(startingAt: latest.end, in: settings.zone)
        }
        // Days of the team instead of 24 hours: around a clock change, a week of grace would end an hour after the next
        // week, and three sprints would be open at once.
        let closes = CalendarDay(instant: span.end, in: settings.zone).adding(days: settings.graceDays)
            .firstInstant(in: settings.zone)
        return Sprint(
            teamID: team.id, start: span.start, end: span.end, closes: closes,
            label: span.label, threshold: settings.threshold,
            policy: settings.policy.starting(with: team.memberCount, threshold: settings.threshold),
            feedbackReaders: settings.feedbackReaders, ballots: settings.ballots)
    }
}
