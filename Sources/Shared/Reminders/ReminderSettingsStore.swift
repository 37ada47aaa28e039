/// Stores teams' reminder settings. Every call may also throw `AppError.storeUnavailable`.
///
/// A team's settings are deleted with the team.
public protocol ReminderSettingsStore: Sendable {
    /// The team's settings; the defaults if none are stored or the team does not exist.
    func find(teamID: Team.ID) async throws -> ReminderSettings

    /// Replaces all settings if they still equal `present`.
    /// - Returns: `false` if they have changed; then nothing is written.
    /// - Throws: `AppError.notFound` if there is no such team.
    func update(teamID: Team.ID, _ settings: ReminderSettings, from present: ReminderSettings) async throws -> Bool
}

extension ReminderSettingsStore {
    /// Replaces all settings unconditionally.
    /// - Throws: as the other `update`.
    public func update(teamID: Team.ID, _ settings: ReminderSettings) async throws {
        while try await !update(teamID: teamID, settings, from: find(teamID: teamID)) {}
    }
}
