package import Domain
package import Ports
package import Storage

/// Members' absences: everyone manages their own, and nobody else sees them.
package struct AbsenceService: Sendable {
    private let store: any Store
    private let clock: WallClock

    /// Creates a service over the stores of one database.
    package init(stores: Stores, clock: WallClock) {
        store = stores.rows
        self.clock = clock
    }

    /// The caller's current and future absences, in order.
    package func list(by principal: Principal) async throws -> [Absence] {
        let today = Absence.earliestToday(at: clock.now)
        return try await store.read { try $0.absences(of: principal.userID) }.filter { $0.last >= today }
    }

    /// Replaces all of the caller's absences.
    /// - Returns: the stored list: ordered, without duplicates and past absences.
    /// - Throws: `AppError`: `unprocessable` for a list that violates a rule, `unauthenticated` if the account no longer
    ///   exists.
    package func replace(_ list: [Absence], by principal: Principal) async throws -> [Absence] {
        let kept = try Absence.validated(list, at: clock.now)
        do {
            try await store.transaction { try $0.replaceAbsences(of: principal.userID, by: kept) }
        } catch let error as AppError where error.code == .notFound {
            throw AppError.sessionEnded
        }
        return kept
    }

    /// The day on which a member of the team can be reminded again; `nil` if they were not reminded yet, or the sprint
    /// has no working day left.
    package func nextReminder(of team: Team, in sprint: Sprint, for user: User) async throws -> CalendarDay? {
        try await postponement(of: team, in: sprint, for: user)?.day
    }

    /// Lets the user be reminded again on the next working day, if they have not voted by then. It is stored as an
    /// absence since the reminder, which they can remove.
    /// - Returns: the day of the reminder; `nil` if there is none any more, and nothing was changed.
    /// - Throws: as `replace`.
    package func postpone(
        _ team: Team, in sprint: Sprint, for user: User, by principal: Principal
    ) async throws -> CalendarDay? {
        guard let (absence, day) = try await postponement(of: team, in: sprint, for: user) else { return nil }
        // A postponement of the day before is part of this one.
        let others = try await list(by: principal).filter { $0.first < absence.first || $0.last > absence.last }
        _ = try await replace(others + [absence], by: principal)
        return day
    }

    private func postponement(
        of team: Team, in sprint: Sprint, for user: User
    ) async throws -> (absence: Absence, day: CalendarDay)? {
        ReminderCalendar(
            sprint: sprint, zone: team.settings.zone,
            settings: try await store.read { try $0.reminderSettings(of: team.id) }
        ).postponement(
            at: clock.now, chosenHour: user.notifications.hour, daysOff: user.notifications.daysOff)
    }
}
