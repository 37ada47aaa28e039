package import Domain

/// Stores absences. Every call may also throw `StorageError.unavailable`.
///
/// A user's absences are deleted with the account, in the same transaction.
package protocol AbsenceStore: TransactionalStore {
    /// A user's absences, ordered by first and last day; empty for an unknown user.
    func list(userID: User.ID) async throws -> [Absence]

    /// The absences of a team's members, each list in the same order; members without absences are omitted.
    func list(teamID: Team.ID) async throws -> [User.ID: [Absence]]

    /// All absences by team: one list for each member who has any, in the same order.
    func listByTeam() async throws -> [Team.ID: [[Absence]]]

    /// Removes absences whose last day is before `day`.
    func deletePast(before day: CalendarDay) async throws
}
