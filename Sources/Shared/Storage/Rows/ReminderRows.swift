package import Domain
package import Foundation

/// Settings of reminders. A team's settings are deleted with the team.
package protocol ReminderRows {
    /// The team's settings; the defaults if none are stored or the team does not exist.
    func reminderSettings(of teamID: Team.ID) throws -> ReminderSettings

    /// The facts of these teams at an instant. A few round trips, however many teams there are.
    func reminderFacts(of teamIDs: [Team.ID], at now: Date) throws -> [Team.ID: ReminderFacts]

    /// The hours that members chose for themselves, by team; teams without any are missing.
    func chosenReminderHours() throws -> [Team.ID: Set<Int>]

    /// The days of the week on which members do not work, each set once, by team; teams without any are missing.
    func chosenDaysOff() throws -> [Team.ID: Set<Set<Weekday>>]
}

/// Changes of reminder settings in a transaction.
package protocol ReminderChanges {
    /// Replaces the team's settings.
    func setReminderSettings(_ settings: ReminderSettings, of teamID: Team.ID) throws
}

/// Absences. A user's absences are deleted with the account.
package protocol AbsenceRows {
    /// A user's absences, ordered by first and last day; empty for an unknown user.
    func absences(of userID: User.ID) throws -> [Absence]

    /// The absences of a team's members, each list in the same order; members without absences are omitted.
    func absences(in teamID: Team.ID) throws -> [User.ID: [Absence]]

    /// All absences by team: one list for each member who has any, in the same order.
    func absencesByTeam() throws -> [Team.ID: [[Absence]]]
}

/// Changes of absences in a transaction.
package protocol AbsenceChanges {
    /// Replaces all absences of the user.
    func setAbsences(_ absences: [Absence], of userID: User.ID) throws
}
