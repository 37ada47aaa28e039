/// Where teams' reminder settings are kept. Every call may also throw `AppError.storeUnavailable`.
///
/// A team's settings go with the team.
public protocol ReminderSettingsStore: Sendable {
    /// The team's settings; the standard ones when none are stored, also for a team that is not there.
    func find(teamID: Team.ID) async throws -> ReminderSettings

    /// Replaces them as a whole if they are still `present`.
    /// - Returns: `false` if they are others by now, and then nothing is changed.
    /// - Throws: `AppError.notFound` if there is no such team.
    func update(teamID: Team.ID, _ settings: ReminderSettings, from present: ReminderSettings) async throws -> Bool
}

extension ReminderSettingsStore {
    /// Replaces them as a whole, whatever they are.
    /// - Throws: as the other `update`.
    public func update(teamID: Team.ID, _ settings: ReminderSettings) async throws {
        while try await !update(teamID: teamID, settings, from: find(teamID: teamID)) {}
    }
}
