/// Stores teams' reminder settings. Every call may also throw `StorageError.unavailable`.
///
/// A team's settings are deleted with the team.
package protocol ReminderSettingsStore: TransactionalStore {
    /// The team's settings; the defaults if none are stored or the team does not exist.
    func find(teamID: Team.ID) async throws -> ReminderSettings

    /// The hours that members chose for themselves, by team; teams without any are missing.
    func chosenHours() async throws -> [Team.ID: Set<Int>]
}
