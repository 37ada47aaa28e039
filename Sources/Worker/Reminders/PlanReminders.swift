import Foundation
import Logging
import Services

/// Checks all teams for due reminders and starts them, records missed ones, and ensures that every unfinished delivery
/// has a job.
struct PlanReminders: JobHandler {
    static let kind = "planReminders"

    let stores: Stores
    /// The installation's ballot secret.
    let secret: BallotSecret
    var timing = SprintTiming.trusted

    var kind: String { Self.kind }
    /// Few, since the schedule starts the same job again a minute later.
    let maximumAttempts = 3
    /// Thousands of teams take milliseconds each.
    let deadline = Duration.seconds(300)

    /// Unfinished deliveries checked per run. Each has its job for as long as jobs are stored, so this is for those
    /// whose job was lost.
    private static let unfinishedLimit = 500

    func run(_ context: JobContext) async throws {
        // Due at the job's time, not now: `Worker --once` runs what is due at its own time, which is earlier.
        for delivery in try await plan(at: context.now, runAt: context.job.runAt) {
            Logger.current.warning(
                "A reminder was missed: no worker ran in its hours",
                metadata: [
                    "team.id": "\(delivery.occasion.sprint.teamID)", "delivery.kind": "\(delivery.occasion.kind)",
                    "delivery.day": "\(delivery.occasion.day)",
                ])
        }
    }

    /// Plans what is due at an instant, once even if several workers plan it, and records what was missed.
    /// - Parameter runAt: when the jobs are due; not after `now`.
    /// - Returns: the missed reminders that were not recorded before.
    /// - Throws: `StorageError.unavailable` immediately; any other error of one team after the other teams were
    ///   processed.
    private func plan(at now: Date, runAt: Date) async throws -> [Delivery] {
        // A separate one, because it must use this instant, which an operator may have chosen.
        let sprints = SprintService(stores: stores, secret: secret, clock: WallClock { now }, timing: timing)
        let jobs = DeliveryJobs(jobs: stores.jobs)
        let chosenHours = try await stores.reminders.chosenHours()
        var missed: [Delivery] = []
        var failure: (any Error)?
        var absences: [Team.ID: [[Absence]]]?
        do {
            absences = try await stores.absences.listByTeam()
        } catch  where AppError(error)?.code == .unavailable {
            throw error
        } catch {
            // One that cannot be read. Each team reads its own.
            failure = error
        }
        try await stores.teams.visitPages { page in
            let facts = try await facts(of: page, at: now)
            for team in page where team.memberCount > 0 {
                try Task.checkCancellation()
                do {
                    let absences =
                        if let absences {
                            absences[team.id] ?? []
                        } else {
                            Array(try await stores.absences.list(teamID: team.id).values)
                        }
                    let (planned, overdue) = try await plan(
                        team, try await known(facts, of: team, at: now), absences: absences,
                        chosenHours: chosenHours[team.id] ?? [], sprints: sprints, at: now)
                    for delivery in planned { try await jobs.deliver(delivery.id, runAt: runAt) }
                    missed += overdue
                } catch let error as AppError where error == .clockDoubtful {
                    // The team has no sprint yet and none may be started now: there is nothing to remind of.
                } catch let error as AppError where error == .noSuchTeam {
                    // It was deleted meanwhile.
                } catch  where AppError(error)?.code == .unavailable {
                    throw error
                } catch {
                    // A team that cannot be read must not prevent the reminders of others.
                    failure = error
                }
            }
        }
        for delivery in try await stores.deliveries.unfinished(limit: Self.unfinishedLimit) {
            try await jobs.deliver(delivery.id, runAt: runAt)
            guard delivery.begun + DeliveryJobs.mailsWait <= now else { continue }
            // Its push messages are stuck, and the mails have waited long enough for them.
            let batches = try await stores.deliveries.batches(of: delivery.id)
            try await jobs.send(batches, of: delivery, at: now, runAt: runAt)
        }
        if let failure { throw failure }
        return missed
    }

    /// The facts of those of these teams that have members; none if a team cannot be read, so that the others can be
    /// read one by one.
    /// - Throws: `StorageError.unavailable`.
    private func facts(of teams: [Team], at now: Date) async throws -> [Team.ID: ReminderFacts] {
        let ids = teams.filter { $0.memberCount > 0 }.map(\.id)
        guard !ids.isEmpty else { return [:] }
        do {
            return try await stores.reminders.facts(of: ids, at: now)
        } catch  where AppError(error)?.code == .unavailable {
            throw error
        } catch {
            return [:]
        }
    }

    private func known(
        _ facts: [Team.ID: ReminderFacts], of team: Team, at now: Date
    ) async throws -> ReminderFacts {
        if let facts = facts[team.id] { return facts }
        guard let facts = try await stores.reminders.facts(of: [team.id], at: now)[team.id] else {
            throw AppError.noSuchTeam
        }
        return facts
    }

    private func plan(
        _ team: Team, _ facts: ReminderFacts, absences: [[Absence]], chosenHours: Set<Int>, sprints: SprintService,
        at now: Date
    ) async throws -> (planned: [Delivery], missed: [Delivery]) {
        // A sprint that closed early has nobody left to remind.
        guard facts.settings.isOn, facts.running?.state.isClosed != true else { return ([], []) }
        let sprint: Sprint
        var earlier = facts.earlier
        if let running = facts.running {
            sprint = running.sprint
        } else {
            sprint = try await sprints.runningSprint(of: team.id)
            earlier = try await stores.deliveries.reminders(of: sprint.key)
        }
        let plan = ReminderPlan(sprint: sprint, zone: team.settings.zone, settings: facts.settings, earlier: earlier)
        let due = plan.due(at: now, absences: absences, chosenHours: chosenHours)
        let overdue = plan.missed(at: now)
        // It may have closed since it was read.
        guard !due.isEmpty || !overdue.isEmpty,
            try await stores.sprints.find(sprint.key)?.state.isClosed == false
        else { return ([], []) }
        var planned: [Delivery] = []
        for occasion in due {
            let delivery = Delivery(occasion: occasion, begun: now)
            if try await stores.deliveries.insert(delivery) { planned.append(delivery) }
        }
        var missed: [Delivery] = []
        // A team's first sprint is already running when the team is created: its reminder may have been due before the
        // team had any members.
        guard !overdue.isEmpty,
            try await stores.sprints.list(teamID: team.id, matching: .all).count(where: { !$0.sprint.isImported }) > 1
        else { return (planned, []) }
        for occasion in overdue {
            let delivery = Delivery(occasion: occasion, state: .skipped, begun: now, trouble: .windowMissed)
            if try await stores.deliveries.insert(delivery) { missed.append(delivery) }
        }
        return (planned, missed)
    }
}
