package import Domain
import Foundation
package import Ports
package import Storage

/// Experiments with a team's reminders: who may set them up and read the results.
///
/// Leads may for their team, admins and the operator for every team. Other members may not: knowing that there are two
/// wordings would influence how they read either. The results are shown only to those of them who are in the team. To
/// any other caller, a team they are not in does not exist.
package struct ExperimentService: Sendable {
    /// Maximum number of experiments in a list.
    package static let listLimit = 100
    /// Maximum number of a team's experiments that have not begun.
    package static let maximumAhead = 10

    private let store: any Store
    private let sprints: ExperimentSprintFinder
    private let clock: WallClock

    /// Creates a service over the stores of one database.
    package init(stores: Stores, clock: WallClock) {
        store = stores.rows
        sprints = ExperimentSprintFinder(stores: stores)
        self.clock = clock
    }

    /// A team's experiments, the latest first.
    /// - Throws: `AppError`: `notFound`, `forbidden`.
    package func list(of teamID: Team.ID, by caller: Caller) async throws -> [ReminderExperiment] {
        _ = try await managedTeam(teamID, by: caller)
        return try await store.read { try $0.experiments(of: teamID, limit: Self.listLimit) }
    }

    /// Sets up an experiment.
    /// - Returns: the experiment as stored.
    /// - Throws: `AppError`: `notFound`, `forbidden`, `unprocessable` (`unknown-placeholder` among others), `conflict`
    ///   (`experiments-overlap`).
    package func add(_ experiment: ReminderExperiment, by caller: Caller) async throws -> ReminderExperiment {
        let team = try await managedTeam(experiment.teamID, by: caller)
        let today = today(of: team)
        let experiment = try experiment.validated(on: today)
        // Future experiments come first. Two concurrent calls may exceed the limit by one, which is harmless.
        let latest = try await store.read { try $0.experiments(of: team.id, limit: Self.maximumAhead) }
        guard latest.count(where: { today < $0.first }) < Self.maximumAhead else {
            throw AppError(.unprocessable, "There are already \(Self.maximumAhead) planned A/B tests.")
        }
        try await store.transaction { try $0.add(experiment) }
        return experiment
    }

    /// An experiment and its results so far.
    /// - Returns: the report is `nil` for callers who manage the team without being a member.
    /// - Throws: `AppError`: `notFound`, `forbidden`.
    package func find(
        _ id: ReminderExperiment.ID, of teamID: Team.ID, by caller: Caller
    ) async throws -> (experiment: ReminderExperiment, report: ExperimentReport?) {
        let team = try await managedTeam(teamID, by: caller)
        let experiment = try await experiment(id, of: teamID)
        guard let userID = caller.userID,
            try await store.membership(of: userID, in: teamID) != nil
        else { return (experiment, nil) }
        return (experiment, try await report(of: experiment, team: team))
    }

    /// Ends an experiment as of yesterday, so that reminders use the team's own words again from now on. An experiment
    /// that would have no day left is removed; one that is over stays unchanged.
    /// - Throws: `AppError`: `notFound`, `forbidden`.
    package func end(_ id: ReminderExperiment.ID, of teamID: Team.ID, by caller: Caller) async throws {
        let team = try await managedTeam(teamID, by: caller)
        let experiment = try await experiment(id, of: teamID)
        let yesterday = today(of: team).adding(days: -1)
        if experiment.first <= yesterday {
            try await store.write { try $0.shortenExperiment(id, to: yesterday) }
        } else {
            try await store.write { try $0.deleteExperiment(id) }
        }
    }

    private func report(of experiment: ReminderExperiment, team: Team) async throws -> ExperimentReport {
        let results = try await store.read { try $0.experimentResults(of: experiment.id) }
        var reported: [ExperimentReport.MeasuredSprint] = []
        for record in try await sprints.started(in: experiment, zone: team.settings.zone) where record.state.isClosed {
            let sending = try await sprints.sending(of: experiment, in: record.sprint.key)
            if sending == .none { continue }
            let result = results[record.sprint.start] ?? (record.isCleared ? .missed : nil)
            reported.append(ExperimentReport.MeasuredSprint(sprint: record.sprint, result: result))
        }
        return ExperimentReport(sprints: reported)
    }

    private func managedTeam(_ teamID: Team.ID, by caller: Caller) async throws -> Team {
        try await store.requireManager(caller, of: teamID)
        guard let team = try await store.team(teamID) else { throw AppError.noSuchTeam }
        return team
    }

    private func experiment(_ id: ReminderExperiment.ID, of teamID: Team.ID) async throws -> ReminderExperiment {
        guard let experiment = try await store.read({ try $0.experiment(id) }), experiment.teamID == teamID else {
            throw AppError.noSuchExperiment
        }
        return experiment
    }

    private func today(of team: Team) -> CalendarDay {
        CalendarDay(instant: clock.now, in: team.settings.zone)
    }
}
