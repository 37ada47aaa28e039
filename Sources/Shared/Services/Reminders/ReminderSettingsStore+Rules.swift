package import Domain
package import Storage

extension ReminderSettingsStore {
    /// Replaces all settings if they still equal `present`.
    /// - Returns: `false` if they have changed; then nothing is written.
    /// - Throws: `AppError.notFound` if there is no such team.
    package func update(
        teamID: Team.ID, _ settings: ReminderSettings, from present: ReminderSettings
    ) async throws -> Bool {
        try await transaction { rows in
            guard try rows.lock(teamID) else { throw AppError.noSuchTeam }
            guard try rows.reminderSettings(of: teamID) == present else { return false }
            try rows.setReminderSettings(settings, of: teamID)
            return true
        }
    }

    /// Replaces all settings unconditionally.
    /// - Throws: as the other `update`.
    package func update(teamID: Team.ID, _ settings: ReminderSettings) async throws {
        while try await !update(teamID: teamID, settings, from: find(teamID: teamID)) {}
    }
}
