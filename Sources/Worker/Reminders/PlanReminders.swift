import Domain
import Foundation
import Logging
import Ports
import Services
import Storage

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
    /// Teams at the same time. On a Monday the plan starts the sprints of most of them.
    private static let concurrency = 8
    /// Reminders in one transaction, which has three seconds on MongoDB.
    private static let insertedTogether = 50
    /// Reminders that are collected before they are stored. Those of one page of teams may come on top.
    private static let waiting = concurrency * insertedTogether

    func run(_ context: JobContext) async throws {
        // Due at the job's time, not now: `Worker --once` runs what is due at its own time, which is earlier.
        try await plan(at: context.now, runAt: context.job.runAt)
    }

    /// Plans what is due at an instant, once even if several workers plan it, and records what was missed.
    /// - Parameter runAt: when the jobs are due; not after `now`.
    /// - Throws: `StorageError.unavailable` immediately; any other error of one team after the other teams were
    ///   processed.
    private func plan(at now: Date, runAt: Date) async throws {
        // A separate one, because it must use this instant, which an operator may have chosen.
        let sprints = SprintService(stores: stores, secret: secret, clock: WallClock { now }, timing: timing)
        let jobs = DeliveryJobs(jobs: stores.jobs)
        let chosenHours = try await stores.read { try $0.chosenReminderHours() }
        let daysOff = try await stores.read { try $0.chosenDaysOff() }
        var failure: (any Error)?
        let absences = try await absences(noting: &failure)
        var reminders: [Delivery] = []
        func store() async throws {
            failure = try await insert(all: reminders, runAt: runAt) ?? failure
            reminders = []
        }
        func visit(_ page: [Team]) async throws {
            let teams = page.filter { $0.memberCount > 0 }
            let facts = try await facts(of: teams, at: now)
            let planned = try await teams.mapConcurrently(atMost: Self.concurrency) { team in
                try await plan(
                    team, facts[team.id], absences: absences.map { $0[team.id] ?? [] },
                    chosenHours: chosenHours[team.id] ?? [], daysOff: daysOff[team.id] ?? [], sprints: sprints, at: now)
            }
            for plan in planned {
                switch plan {
                case .success(let due): reminders += due
                // A team that cannot be read must not prevent the reminders of others.
                case .failure(let error): failure = error
                }
            }
            if reminders.count >= Self.waiting { try await store() }
        }
        do {
            try await stores.visitTeamPages(visit)
        } catch {
            // What was planned before is due all the same.
            try await store()
            throw error
        }
        try await store()
        for delivery in try await stores.read({ try $0.unfinishedDeliveries(limit: Self.unfinishedLimit) }) {
            try await jobs.deliver(delivery.id, runAt: runAt)
            guard delivery.begun + DeliveryJobs.mailsWait <= now else { continue }
            // Its push messages are stuck, and the mails have waited long enough for them.
            let batches = try await stores.read { try $0.batches(of: delivery.id) }
            try await jobs.send(batches, of: delivery, at: now, runAt: runAt)
        }
        if let failure { throw failure }
    }

    private func warn(ofMissed delivery: Delivery) {
        Logger.current.warning(
            "A reminder was missed: no worker ran in its hours",
            metadata: [
                "team.id": "\(delivery.occasion.sprint.teamID)", "delivery.kind": "\(delivery.occasion.kind)",
                "delivery.day": "\(delivery.occasion.day)",
            ])
    }

    /// All absences; `nil` if one of them cannot be read, so that those of other teams can be read one by one.
    /// - Throws: `StorageError.unavailable`.
    private func absences(noting failure: inout (any Error)?) async throws -> [Team.ID: [[Absence]]]? {
        do {
            return try await stores.read { try $0.absencesByTeam() }
        } catch  where error.endsJob {
            throw error
        } catch {
            failure = error
            return nil
        }
    }

    /// The facts of these teams; none if one of them cannot be read, so that the others can be read one by one.
    /// - Throws: `StorageError.unavailable`.
    private func facts(of teams: [Team], at now: Date) async throws -> [Team.ID: ReminderFacts] {
        guard !teams.isEmpty else { return [:] }
        do {
            return try await stores.read { try $0.reminderFacts(of: teams.map(\.id), at: now) }
        } catch  where error.endsJob {
            throw error
        } catch {
            return [:]
        }
    }

    /// Stores all of them, and warns of those that were missed.
    /// - Returns: why one of them was not stored.
    /// - Throws: `StorageError.unavailable`, `CancellationError`.
    private func insert(all reminders: [Delivery], runAt: Date) async throws -> (any Error)? {
        let parts = stride(from: 0, to: reminders.count, by: Self.insertedTogether).map { first in
            Array(reminders[first...].prefix(Self.insertedTogether))
        }
        let failures = try await parts.mapConcurrently(atMost: Self.concurrency) { part in
            let (stored, failure) = try await insert(part, runAt: runAt)
            for delivery in stored where delivery.state == .skipped { warn(ofMissed: delivery) }
            return failure
        }
        return failures.compactMap(\.self).last
    }

    /// Stores all of them at once, or one by one if that is not possible because of one of them.
    /// - Returns: those that were stored, and why another one was not.
    /// - Throws: `StorageError.unavailable`.
    private func insert(
        _ reminders: [Delivery], runAt: Date
    ) async throws -> (stored: [Delivery], failure: (any Error)?) {
        do {
            return (try await stores.add(reminders: reminders, runAt: runAt), nil)
        } catch  where error.endsJob {
            throw error
        } catch  where reminders.count == 1 {
            return ([], error)
        } catch {
            var all: (stored: [Delivery], failure: (any Error)?) = ([], nil)
            for reminder in reminders {
                let one = try await insert([reminder], runAt: runAt)
                all = (all.stored + one.stored, one.failure ?? all.failure)
            }
            return all
        }
    }

    /// The reminders of a team that are due, and the missed ones as skipped, whether they are stored or not.
    /// - Parameters:
    ///   - facts: `nil` to read them.
    ///   - absences: `nil` to read them.
    /// - Returns: none for a team that was deleted meanwhile, or whose first sprint may not be started now.
    /// - Throws: `StorageError.unavailable`, `CancellationError`.
    private func plan(
        _ team: Team, _ facts: ReminderFacts?, absences: [[Absence]]?, chosenHours: Set<Int>,
        daysOff: Set<Set<Weekday>>, sprints: SprintService, at now: Date
    ) async throws -> Result<[Delivery], any Error> {
        do {
            var facts = facts
            if facts == nil { facts = try await stores.read { try $0.reminderFacts(of: [team.id], at: now) }[team.id] }
            guard let facts else { return .success([]) }
            var absences = absences
            if absences == nil { absences = Array(try await stores.read { try $0.absences(in: team.id) }.values) }
            return .success(
                try await reminders(
                    of: team, facts, absences: absences ?? [], chosenHours: chosenHours, daysOff: daysOff,
                    sprints: sprints, at: now))
        } catch let error as AppError where [.clockDoubtful, .noSuchTeam].contains(error) {
            return .success([])
        } catch  where error.endsJob {
            throw error
        } catch {
            return .failure(error)
        }
    }

    private func reminders(
        of team: Team, _ facts: ReminderFacts, absences: [[Absence]], chosenHours: Set<Int>,
        daysOff: Set<Set<Weekday>>, sprints: SprintService, at now: Date
    ) async throws -> [Delivery] {
        // A sprint that closed early has nobody left to remind.
        guard facts.settings.isOn, facts.running?.state.isClosed != true else { return [] }
        let sprint: Sprint
        var earlier = facts.earlier
        if let running = facts.running {
            sprint = running.sprint
        } else {
            sprint = try await sprints.runningSprint(of: team.id)
            earlier = try await stores.read { try $0.reminders(of: sprint.key) }
        }
        let plan = ReminderPlan(sprint: sprint, zone: team.settings.zone, settings: facts.settings, earlier: earlier)
        let due = plan.due(at: now, absences: absences, chosenHours: chosenHours, daysOff: daysOff)
            .map { Delivery(occasion: $0, begun: now) }
        let overdue = plan.missed(at: now)
        // A team's first sprint is already running when the team is created: its reminder may have been due before the
        // team had any members.
        guard !overdue.isEmpty,
            try await stores.read({ try $0.sprints(of: team.id, matching: .all) }).count(where: {
                !$0.sprint.isImported
            }) > 1
        else { return due }
        return due + overdue.map { Delivery(occasion: $0, state: .skipped, begun: now, trouble: .windowMissed) }
    }
}
