package import Domain
package import Storage

extension StoreTransaction {
    /// Replaces all settings if they still equal `present`.
    /// - Returns: `false` if they have changed; then nothing is written.
    /// - Throws: `AppError.notFound` if there is no such team.
    package func apply(
        _ settings: ReminderSettings, to teamID: Team.ID, from present: ReminderSettings
    ) throws -> Bool {
        guard try lock(teamID) else { throw AppError.noSuchTeam }
        guard try reminderSettings(of: teamID) == present else { return false }
        try setReminderSettings(settings, of: teamID)
        return true
    }

    /// Replaces all settings unconditionally.
    /// - Throws: as the other `apply`.
    package func apply(_ settings: ReminderSettings, to teamID: Team.ID) throws {
        guard try lock(teamID) else { throw AppError.noSuchTeam }
        try setReminderSettings(settings, of: teamID)
    }
}
