/// Where people's absences are kept. Every call may also throw `AppError.storeUnavailable`.
///
/// A user's absences go with the account, in its transaction.
public protocol AbsenceStore: Sendable {
    /// A user's absences, in order of their first and last days; none for a user who is not there.
    func list(userID: User.ID) async throws -> [Absence]

    /// Those of a team's members, each list in the same order; members without any are not in it.
    func list(teamID: Team.ID) async throws -> [User.ID: [Absence]]

    /// Stores these in place of all the user had; a list in order, without doubles.
    /// - Throws: `AppError.notFound` if there is no such user.
    func replace(userID: User.ID, _ absences: [Absence]) async throws

    /// Removes absences whose last day lies before `day`.
    func deletePast(before day: CalendarDay) async throws
}
