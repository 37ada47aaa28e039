package import Domain
package import Foundation

/// Removal of what has expired, each kind by itself.
package protocol ExpiryWrites {
    /// Ends sessions that expired before `instant`.
    func deleteExpiredSessions(before instant: Date) throws

    /// Removes every session's `repeatUntil` that is over at `now`.
    func deleteRepeats(at now: Date) throws

    /// Removes tokens that expired before `instant`, and quota entries more than a day older than it.
    func deleteExpiredTokens(before instant: Date) throws

    /// Removes invitations last sent before `day`.
    func deleteExpiredInvitations(before day: CalendarDay) throws

    /// Removes registrations that expired before `instant`.
    func deleteExpiredRegistrations(before instant: Date) throws

    /// Removes absences whose last day is before `day`.
    func deletePastAbsences(before day: CalendarDay) throws

    /// Removes devices not refreshed since `day`: Firebase considers a registration stale after a month and expires it
    /// after 270 days.
    func deleteStaleDevices(before day: CalendarDay) throws

    /// Removes groups of reported errors last seen before a day.
    func deleteClientErrors(unseenSince day: CalendarDay) throws

    /// Removes processes last seen before an instant.
    func deleteProcesses(unseenSince instant: Date) throws
}
