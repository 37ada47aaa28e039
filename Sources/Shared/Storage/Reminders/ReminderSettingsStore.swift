package import Domain
package import Foundation

/// Stores teams' reminder settings. Every call may also throw `StorageError.unavailable`.
///
/// A team's settings are deleted with the team.
package protocol ReminderSettingsStore: TransactionalStore {
    /// The team's settings; the defaults if none are stored or the team does not exist.
    func find(teamID: Team.ID) async throws -> ReminderSettings

    /// The facts of these teams at an instant. A few round trips, however many teams there are.
    func facts(of teamIDs: [Team.ID], at now: Date) async throws -> [Team.ID: ReminderFacts]

    /// The hours that members chose for themselves, by team; teams without any are missing.
    func chosenHours() async throws -> [Team.ID: Set<Int>]
}
