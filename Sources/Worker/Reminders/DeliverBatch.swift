import Foundation
import Logging
import Push
import Shared

/// Sends one batch of a delivery, part by part, and notes after each how far it has got: a worker that dies leaves to
/// the next one what was not noted, so that nobody is passed over and only what was on its way goes out twice.
///
/// Neither the log nor a metric tells how many it sent, or how long that took.
struct DeliverBatch: JobHandler {
    let stores: Stores
    let secret: BallotSecret
    let push: PushSender
    let mails: MailSender
    let clock: WallClock

    let kind = DeliveryJobs.batchKind
    /// It gives up by time, after `Delivery.patience`; this is for batches that kill their workers.
    let maximumAttempts = 100
    /// Eight parts that each wait for a slow service, up to `patience` and one call's deadline.
    let deadline = Duration.seconds(900)
    let isTimed = false

    /// How long one message is tried again before its job is. More than the 60 to 70 s that FCM has to be left alone for
    /// when its quota is used up: with the job all of a part's people get the message again.
    private static let patience = Duration.seconds(90)
    /// Attempts in which a part that failed for some is sent again to all of its people. From then on those are given
    /// up: a device whose service answers it with errors for ever must not bring the others the same message for an hour.
    private static let attemptsWithRepeats = 2

    func run(_ context: JobContext) async throws {
        let key = try context.parameters(as: DeliveryBatch.Key.self)
        guard let delivery = try await stores.deliveries.find(id: key.deliveryID), delivery.state == .sending,
            let batch = try await stores.deliveries.batch(key)
        else { return }
        if !batch.isDone { try await send(batch, of: delivery, in: context) }
        if !batch.isByMail {
            // If these were the last messages, the mails have their turn: whose device turned out to be gone has none now.
            try await DeliveryJobs(jobs: stores.jobs).send(
                stores.deliveries.batches(of: delivery.id), of: delivery, at: context.now, runAt: context.job.runAt)
        }
        try await stores.deliveries.finish(delivery.id)
    }

    private func send(_ first: DeliveryBatch, of delivery: Delivery, in context: JobContext) async throws {
        let teamID = delivery.occasion.sprint.teamID
        let begun = clock.now
        // Services go by their own clocks, whatever time an operator pretends here.
        let ahead = begun.timeIntervalSince(context.now)
        let (post, end) = try await post(for: delivery, servicesAhead: ahead)
        let attempt = context.job.attempts
        var now: Date { context.now + clock.now.timeIntervalSince(begun) }
        var left: Duration { .seconds(max(0, end.timeIntervalSince(now))) }
        func serve(_ people: DeliveryPart.People) async throws -> PartResult {
            try await post.serve(people, at: now, patience: min(left, Self.patience))
        }
        var batch = first
        while !batch.isDone {
            let parts = try await DeliveryPart.next(
                of: batch.recipients, team: teamID, stores: stores, post: post)
            // Of these parts nobody could be served; the next ones may tell whether that is their service or they.
            var stuck: [DeliveryPart.People] = []
            var result = PartResult()
            for (number, part) in parts.enumerated() {
                let own = try await serve(part.people)
                result += own
                if result.isStuck, attempt > Self.attemptsWithRepeats, number < parts.count - 1 {
                    stuck.append(part.people.without(own.gone))
                    continue
                }
                if own.hasSettled {
                    // The way out is open. Those get their chance, and then they must not hold up others any more.
                    result.startAgain(with: own)
                    for people in stuck { result += try await serve(people) }
                }
                try await retryIfNeeded(result, of: delivery, attempt: attempt, within: left)
                let next = try progress(of: batch, to: part.rest, adding: result)
                (stuck, result) = ([], PartResult())
                if try await stores.deliveries.advance(batch, to: next) {
                    batch = next
                } else {
                    // Another worker has this batch too and was faster; what it noted counts.
                    guard let current = try await stores.deliveries.batch(batch.key) else { return }
                    batch = current
                    break
                }
            }
        }
    }

    /// Gathers what all parts need.
    /// - Parameter ahead: seconds by which the services' time is ahead of the pretended one.
    /// - Returns: with it the instant from which nothing more is sent.
    /// - Throws: `JobError.refused` if the delivery is about nothing that is there.
    func post(
        for delivery: Delivery, servicesAhead ahead: TimeInterval
    ) async throws -> (DeliveryPost, end: Date) {
        let key = delivery.occasion.sprint
        guard let team = try await stores.teams.find(id: key.teamID),
            let sprint = try await stores.sprints.find(key)?.sprint
        else { throw JobError.refused("the delivery's team or sprint is not there") }
        let settings = try await stores.reminders.find(teamID: team.id)
        let plan = ReminderPlan(
            sprint: sprint, zone: team.settings.zone, settings: settings,
            earlier: try await stores.deliveries.reminders(of: key))
        let words = DeliveryWords(
            delivery: delivery, team: team, sprint: sprint, settings: settings,
            experiment: try await stores.experiments.wordings(
                of: delivery.occasion, in: team.settings.zone, secret: secret),
            daysLeft: plan.daysLeft(on: delivery.occasion.day), expires: sprint.end + ahead,
            publicURL: mails.publicURL)
        let gate = DeliveryGate(
            delivery: delivery, plan: plan, absences: try await stores.absences.list(teamID: team.id), stores: stores,
            secret: secret)
        let end = min(delivery.begun + Delivery.patience, sprint.end)
        return (DeliveryPost(words: words, gate: gate, stores: stores, push: push, mails: mails), end)
    }

    /// Lets the job be tried again if nobody was served, or, in the first attempts, not everybody and waiting may help:
    /// where only a setting is wrong, for some devices, the others must not get the message three times.
    /// - Parameter left: until the delivery ends; no service is left alone for longer, so that its end is noted.
    private func retryIfNeeded(
        _ result: PartResult, of delivery: Delivery, attempt: Int, within left: Duration
    ) async throws {
        guard let trouble = result.trouble,
            result.isStuck || (result.isPassing && attempt <= Self.attemptsWithRepeats)
        else { return }
        try await stores.deliveries.setTrouble(delivery.id, .serviceUnavailable)
        // For the operator alone. Admins see the job's words, and who gets mails and who messages is no secret.
        Logger.current.warning("A delivery waits for a service", metadata: ["error": "\(trouble)"])
        throw JobError.unavailable(
            "a push service or the mail server", retryAfter: result.retryAfter.map { min($0, left) })
    }

    private func progress(
        of batch: DeliveryBatch, to rest: DeliveryBatch.Recipients?, adding result: PartResult
    ) throws -> DeliveryBatch {
        let seal = CountsSeal(secret: secret)
        // Counts that cannot be opened are lost, and the delivery is worth more than they are.
        var counts = (seal.open(batch.sealedCounts, of: batch.key) ?? DeliveryCounts()) + result.allCounts
        counts.failed += result.unsettled
        var next = batch
        next.recipients = rest ?? batch.recipients
        next.sealedCounts = try seal.seal(counts, for: batch.key)
        next.isDone = rest == nil
        return next
    }
}
