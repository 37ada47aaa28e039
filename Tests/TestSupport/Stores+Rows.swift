package import Domain
import Foundation
import Services
package import Storage

/// One read or rule by itself, for what many tests ask.
extension Stores {
    /// Starts a sprint, or returns the running one.
    package func start(_ sprint: Sprint) async throws -> Sprint {
        try await transaction { try $0.start(sprint) }
    }

    /// The team's sprint with the latest start; `nil` before its first.
    package func latestSprint(of teamID: Team.ID) async throws -> SprintRecord? {
        try await read { try $0.latestSprint(of: teamID) }
    }

    /// The team's sprints, ordered by start.
    package func sprints(of teamID: Team.ID, matching filter: SprintFilter) async throws -> [SprintRecord] {
        try await read { try $0.sprints(of: teamID, matching: filter) }
    }

    /// Adds feedback to finished sprints.
    package func importFeedback(_ texts: [(key: Sprint.Key, text: FeedbackText)]) async throws {
        try await transaction { try $0.importFeedback(texts) }
    }

    /// The team's reminder settings, or the defaults.
    package func reminderSettings(of teamID: Team.ID) async throws -> ReminderSettings {
        try await read { try $0.reminderSettings(of: teamID) }
    }

    /// Replaces the team's reminder settings.
    package func update(_ settings: ReminderSettings, of teamID: Team.ID) async throws {
        try await transaction { try $0.apply(settings, to: teamID) }
    }

    /// `nil` if there is none.
    package func invitation(_ id: Invitation.ID) async throws -> Invitation? {
        try await read { try $0.invitation(id) }
    }

    /// A user's absences, ordered by first and last day.
    package func absences(of userID: User.ID) async throws -> [Absence] {
        try await read { try $0.absences(of: userID) }
    }

    /// Replaces a user's absences.
    package func replaceAbsences(of userID: User.ID, by absences: [Absence]) async throws {
        try await transaction { try $0.replaceAbsences(of: userID, by: absences) }
    }

    /// A user's devices, ordered by id.
    package func devices(of userID: User.ID) async throws -> [Device] {
        try await read { try $0.devices(of: userID) }
    }

    /// Replaces a batch.
    /// - Returns: whether it was still `old`.
    package func advance(_ old: DeliveryBatch, to new: DeliveryBatch) async throws -> Bool {
        try await write { try $0.advance(old, to: new) }
    }

    /// `nil` if there is none.
    package func delivery(_ id: Delivery.ID) async throws -> Delivery? {
        try await read { try $0.delivery(id) }
    }

    /// Stores a delivery.
    /// - Returns: whether it was stored.
    package func insert(_ delivery: Delivery) async throws -> Bool {
        try await transaction { try $0.add(delivery) }
    }

    /// Stores an experiment.
    package func insert(_ experiment: ReminderExperiment) async throws {
        try await transaction { try $0.add(experiment) }
    }

    /// `nil` if there is none.
    package func action(_ id: Action.ID) async throws -> Action? {
        try await read { try $0.action(id) }
    }

    /// Stores an action.
    package func insert(_ action: Action, at place: ActionPosition) async throws {
        try await transaction { try $0.add(action, at: place) }
    }

    /// Changes an action.
    /// - Returns: the action as stored.
    package func update(_ action: Action, at place: ActionPosition?) async throws -> Action {
        try await transaction { try $0.apply(action, at: place) }
    }

    /// All customised texts, in no particular order.
    package func ownTexts() async throws -> [OwnText] {
        try await read { try $0.ownTexts() }
    }

    /// Replaces the present text, whatever it is.
    package func changeText(_ key: TextKey, _ change: TextChange) async throws {
        while true {
            let present = try await read { try $0.textHistory(of: key) }.first?.text
            if try await write({ try $0.changeText(key, change, from: present) }) { return }
        }
    }

    /// The heartbeats of all processes.
    package func processes() async throws -> [ProcessRecord] {
        try await read { try $0.processes(since: .distantPast, aliveSince: .distantFuture, maximumGone: 10_000) }
    }

    /// Stores a heartbeat.
    package func record(_ process: ProcessRecord) async throws {
        try await write { try $0.record(process) }
    }

    /// All deletions, ordered by hash.
    package func deletions() async throws -> [Deletion] {
        try await read { try $0.deletions() }
    }

    /// Remembers deletions.
    package func remember(_ deletions: [Deletion]) async throws {
        try await write { try $0.remember(deletions) }
    }

    /// The resolved or the open groups of reported errors.
    package func clientErrors(isResolved: Bool, limit: Int) async throws -> [ClientErrorGroup] {
        try await read { try $0.clientErrors(isResolved: isResolved, limit: limit) }
    }

    /// Counts a reported error.
    /// - Returns: whether it was counted.
    package func record(_ report: ClientErrorReport, on day: CalendarDay, limit: Int) async throws -> Bool {
        try await write { try $0.record(report, on: day, limit: limit) }
    }
}
