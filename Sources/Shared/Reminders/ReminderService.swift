import Foundation

/// Teams' reminder settings: who may read and change them, what is valid, and what comes of them.
///
/// Members read their team's; leads change it, as admins and the operator do every team's. To anybody else a team they
/// are not in does not exist.
public struct ReminderService: Sendable {
    private let users: any UserStore
    private let teams: any TeamStore
    private let reminders: any ReminderSettingsStore
    private let sprints: any SprintStore
    private let clock: WallClock

    /// Creates a service over the stores of one database.
    public init(stores: Stores, clock: WallClock) {
        users = stores.users
        teams = stores.teams
        reminders = stores.reminders
        sprints = stores.sprints
        self.clock = clock
    }

    /// The team's settings.
    /// - Throws: `AppError.notFound`.
    public func settings(of teamID: Team.ID, by caller: Caller) async throws -> ReminderSettings {
        try await requireReader(caller, of: teamID)
        return try await reminders.find(teamID: teamID)
    }

    /// Replaces the settings as a whole. They count from the next minute on, in the running sprint too.
    /// - Returns: the settings as they are kept.
    /// - Throws: `AppError`: `notFound`, `forbidden`, `refused` (`unknown-placeholder` among others).
    public func update(
        _ teamID: Team.ID, _ settings: ReminderSettings, by caller: Caller
    ) async throws -> ReminderSettings {
        try await teams.requireManager(caller, of: teamID, users: users)
        let settings = try settings.validated()
        try await reminders.update(teamID: teamID, settings)
        return settings
    }

    /// Changes what `change` names.
    /// - Returns: the settings as they are now.
    /// - Throws: as `update`.
    public func change(
        _ teamID: Team.ID, _ change: ReminderSettingsChange, by caller: Caller
    ) async throws -> ReminderSettings {
        try await replace(teamID, by: caller) { try change.applied(to: $0) }
    }

    /// The same by somebody who goes by what a page showed them: what they left alone stays as it is by now.
    /// - Returns: the settings as they are now.
    /// - Throws: as `update`, and `AppError.conflict` (`changed-meanwhile`) if somebody else has changed the same.
    public func change(
        _ teamID: Team.ID, _ edit: Edit<ReminderSettings>, by caller: Caller
    ) async throws -> ReminderSettings {
        try await replace(teamID, by: caller) { try edit.applied(to: $0) }
    }

    /// Changes the days on which nobody is reminded, and nothing else.
    /// - Parameter change: may be called again, should somebody else change the settings at the same moment.
    /// - Returns: the settings as they are now.
    /// - Throws: as `update`; what `change` throws.
    public func changeHolidays(
        of teamID: Team.ID, by caller: Caller, _ change: (inout Set<CalendarDay>) throws -> Void
    ) async throws -> ReminderSettings {
        try await replace(teamID, by: caller) { present in
            var settings = present
            try change(&settings.holidays)
            return try settings.validated()
        }
    }

    /// Changes what is there at that moment: should somebody be faster between reading and writing, it is read again.
    private func replace(
        _ teamID: Team.ID, by caller: Caller, _ change: (ReminderSettings) throws -> ReminderSettings
    ) async throws -> ReminderSettings {
        try await teams.requireManager(caller, of: teamID, users: users)
        while true {
            let present = try await reminders.find(teamID: teamID)
            let settings = try change(present)
            if try await reminders.update(teamID: teamID, settings, from: present) { return settings }
        }
    }

    /// What reminders would say, and when they would go out, under settings that are not stored; changes nothing.
    /// - Throws: as `update`.
    public func preview(
        _ teamID: Team.ID, _ settings: ReminderSettings, by caller: Caller
    ) async throws -> ReminderPreview {
        try await teams.requireManager(caller, of: teamID, users: users)
        let settings = try settings.validated()
        guard let team = try await teams.find(id: teamID) else { throw AppError.noSuchTeam }
        // Worked out here rather than asked of `SprintService`, which would start a sprint nobody has looked at yet.
        let now = clock.now
        let latest = try await sprints.latest(teamID: teamID)?.sprint
        let running =
            if let latest, now < latest.end { latest } else { SprintService.next(of: team, after: latest, at: now) }
        let following = SprintService.next(of: team, after: running, at: running.end)
        return ReminderPreview(team: team, sprints: [running, following], settings: settings, at: now)
    }

    private func requireReader(_ caller: Caller, of teamID: Team.ID) async throws {
        if case .user(let userID) = caller, try await teams.membership(of: userID, in: teamID) != nil { return }
        try await teams.requireManager(caller, of: teamID, users: users)
        guard try await teams.find(id: teamID) != nil else { throw AppError.noSuchTeam }
    }
}
