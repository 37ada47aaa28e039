package import Domain
import Foundation
package import Ports
package import Storage

/// Teams' reminder settings: who may read and change them, what is valid, and previews.
///
/// Members read their team's settings, leads change them; admins and the operator change every team's. To any other
/// caller a team they are not in does not exist.
package struct ReminderService: Sendable {
    private let store: any Store
    private let clock: WallClock

    /// Creates a service over the stores of one database.
    package init(stores: Stores, clock: WallClock) {
        store = stores.rows
        self.clock = clock
    }

    /// The team's settings.
    /// - Throws: `AppError.notFound`.
    package func settings(of teamID: Team.ID, by caller: Caller) async throws -> ReminderSettings {
        try await requireReader(caller, of: teamID)
        return try await store.read { try $0.reminderSettings(of: teamID) }
    }

    /// Replaces all settings. They apply from the next minute on, including the running sprint.
    /// - Returns: the settings as stored.
    /// - Throws: `AppError`: `notFound`, `forbidden`, `unprocessable` (`unknown-placeholder` among others).
    package func update(
        _ teamID: Team.ID, _ settings: ReminderSettings, by caller: Caller
    ) async throws -> ReminderSettings {
        try await store.requireManager(caller, of: teamID)
        let settings = try settings.validated()
        try await store.transaction { [settings] rows in try rows.apply(settings, to: teamID) }
        return settings
    }

    /// Changes the values set in `change`.
    /// - Returns: the resulting settings.
    /// - Throws: as `update`.
    package func change(
        _ teamID: Team.ID, _ change: ReminderSettingsChange, by caller: Caller
    ) async throws -> ReminderSettings {
        try await replace(teamID, by: caller) { try change.applied(to: $0) }
    }

    /// Applies an edit based on what a page showed: unedited values keep their current state.
    /// - Returns: the resulting settings.
    /// - Throws: as `update`, and `AppError.conflict` (`changed-meanwhile`) if another user has changed the same value.
    package func change(
        _ teamID: Team.ID, _ edit: Edit<ReminderSettings>, by caller: Caller
    ) async throws -> ReminderSettings {
        try await replace(teamID, by: caller) { try edit.applied(to: $0) }
    }

    /// Changes only the days on which no reminders are sent.
    /// - Parameter change: may be called again if another user changes the settings concurrently.
    /// - Returns: the resulting settings.
    /// - Throws: as `update`; what `change` throws.
    package func changeHolidays(
        of teamID: Team.ID, by caller: Caller, _ change: (inout Set<CalendarDay>) throws -> Void
    ) async throws -> ReminderSettings {
        try await replace(teamID, by: caller) { present in
            var settings = present
            try change(&settings.holidays)
            return try settings.validated()
        }
    }

    /// Changes the current settings: if another change happens between reading and writing, they are read again.
    private func replace(
        _ teamID: Team.ID, by caller: Caller, _ change: (ReminderSettings) throws -> ReminderSettings
    ) async throws -> ReminderSettings {
        try await store.requireManager(caller, of: teamID)
        while true {
            let present = try await store.read { try $0.reminderSettings(of: teamID) }
            let settings = try change(present)
            if try await store.transaction({ [settings] rows in try rows.apply(settings, to: teamID, from: present) }) {
                return settings
            }
        }
    }

    /// The texts and times of reminders under settings that are not stored; changes nothing.
    /// - Parameter standard: the program's texts, in whose languages the reminders are shown.
    /// - Throws: as `update`.
    package func preview(
        _ teamID: Team.ID, _ settings: ReminderSettings, standard: Texts, by caller: Caller
    ) async throws -> ReminderPreview {
        try await store.requireManager(caller, of: teamID)
        let settings = try settings.validated()
        guard let team = try await store.team(teamID) else { throw AppError.noSuchTeam }
        // Computed here instead of by `SprintService`, which would start a due sprint.
        let now = clock.now
        let latest = try await store.read { try $0.latestSprint(of: teamID) }?.sprint
        let running =
            if let latest, now < latest.end { latest } else { SprintService.next(of: team, after: latest, at: now) }
        let following = SprintService.next(of: team, after: running, at: running.end)
        return ReminderPreview(
            team: team, sprints: [running, following], settings: settings, standard: standard, at: now)
    }

    private func requireReader(_ caller: Caller, of teamID: Team.ID) async throws {
        if case .user(let userID) = caller, try await store.membership(of: userID, in: teamID) != nil { return }
        try await store.requireManager(caller, of: teamID)
        guard try await store.team(teamID) != nil else { throw AppError.noSuchTeam }
    }
}
