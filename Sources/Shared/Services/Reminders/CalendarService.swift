package import Domain
import Foundation
package import Ports
package import Storage

/// The dates of a member for their calendar program: the sprints and days off of their teams, and their absences.
///
/// A program reads them with a secret link, for it has no other way to log in. The link shows no result and no vote.
/// Its owner can end it; a new password or address ends it too.
package struct CalendarService: Sendable {
    /// Past sprints of each team.
    private static let pastSprints = 6
    /// Seconds of future sprints: half a year.
    private static let future: TimeInterval = 182 * 86_400

    private let store: any Store
    private let sprints: SprintService
    private let clock: WallClock

    /// - Parameter sprints: starts and closes the sprints that are due.
    package init(stores: Stores, sprints: SprintService, clock: WallClock) {
        store = stores.rows
        self.sprints = sprints
        self.clock = clock
    }

    /// Creates a link; it replaces the earlier one.
    /// - Returns: the token of the link, which is not stored.
    package func share(by principal: Principal) async throws -> String {
        try await unshare(by: principal)
        let subject = principal.userID.description
        let (text, token) = OneTimeToken.make(.calendar, subject: subject, email: "", at: clock.now)
        try await store.write { try $0.insert(token) }
        return text
    }

    /// Ends the link; does nothing if there is none.
    package func unshare(by principal: Principal) async throws {
        try await store.write { try $0.deleteTokens(purpose: .calendar, subject: principal.userID.description) }
    }

    /// Whether the caller has a link.
    package func isShared(by principal: Principal) async throws -> Bool {
        let now = clock.now
        return try await store.read { try $0.tokens(of: principal.userID.description) }
            .contains { $0.purpose == .calendar && now < $0.expires }
    }

    /// The dates behind a link.
    /// - Throws: `AppError.notFound` (`no-such-link`) for an ended or made-up link, and for a disabled account.
    package func dates(_ token: String) async throws -> CalendarDates {
        let gone = AppError(.notFound, "This link no longer works.", reason: .noSuchLink)
        let now = clock.now
        guard let token = try await store.token(TokenClaim(token, for: .calendar, at: now)),
            let id = User.ID(token.subject), let user = try await store.user(id), token.isValid(for: user)
        else { throw gone }
        var dates: [CalendarDates.TeamDates] = []
        for (team, _) in try await store.read({ try $0.teams(of: user.id) }) {
            let running = try await sprints.runningSprint(of: team.id)
            let past = try await store.read { try $0.sprints(of: team.id, matching: .all) }.map(\.sprint)
                .filter { $0.start < running.start }.suffix(Self.pastSprints)
            var spans = (past + [running]).map { SprintSpan(label: $0.label, start: $0.start, end: $0.end) }
            while let last = spans.last, last.end < now.addingTimeInterval(Self.future) {
                spans.append(team.settings.calendar.span(after: last, in: team.settings.zone))
            }
            let daysOff = try await store.read { try $0.reminderSettings(of: team.id) }.holidays.sorted()
            dates.append(CalendarDates.TeamDates(team: team, sprints: spans, daysOff: daysOff))
        }
        // One that ends today may be a postponed reminder, which would tell a calendar service that its user had not
        // voted.
        let absences = try await store.read { try $0.absences(of: user.id) }
            .filter { $0.last > Absence.latestToday(at: now) }
        return CalendarDates(user: user, teams: dates, absences: absences)
    }
}

/// The dates of one member.
package struct CalendarDates: Sendable {
    /// The dates of a team, the same for all its members.
    package struct TeamDates: Sendable {
        package let team: Team
        /// In order: some past ones, the running one, and those planned for half a year.
        package let sprints: [SprintSpan]
        /// In order.
        package let daysOff: [CalendarDay]
    }

    package let user: User
    package let teams: [TeamDates]
    /// In order.
    package let absences: [Absence]
}
