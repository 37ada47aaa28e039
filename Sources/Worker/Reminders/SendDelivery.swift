import Domain
import Foundation
import Logging
import Ports
import Push
import Services
import Storage

/// Splits a delivery into batches and enqueues the first of them. Repeating it enqueues nothing twice.
struct SplitDelivery: JobHandler {
    /// Devices or members per batch.
    static let batchSize = 500
    /// Devices per read while looking for split points: several batches, because each read scans all of the team's.
    private static let pageSize = 5 * batchSize

    let stores: Stores
    /// The installation's ballot secret.
    let secret: BallotSecret

    let kind = DeliveryJobs.deliverKind
    /// Reading a hundred thousand devices takes seconds.
    let deadline = Duration.seconds(120)

    func run(_ context: JobContext) async throws {
        let id = try context.parameters(as: DeliverPayload.self).deliveryID
        guard let delivery = try await stores.read({ try $0.delivery(id) }), delivery.state == .sending else { return }
        let batches = try await batches(of: delivery)
        try await DeliveryJobs(jobs: stores.jobs).send(
            batches, of: delivery, at: context.now, runAt: context.job.runAt)
        // In case a worker died after its last batch and before this.
        try await stores.write { try $0.finishDelivery(id) }
    }

    /// The batches of a delivery. The first call stores them; later calls return the same ones.
    /// - Throws: `StorageError.unavailable`.
    func batches(of delivery: Delivery) async throws -> [DeliveryBatch] {
        let earlier = try await stores.read { try $0.batches(of: delivery.id) }
        guard earlier.isEmpty else { return earlier }
        let batches = try await recipients(of: delivery).enumerated().map { number, recipients in
            let key = DeliveryBatch.Key(deliveryID: delivery.id, number: number)
            return DeliveryBatch(
                key: key, recipients: recipients,
                sealedCounts: try CountsSeal(secret: secret).seal(DeliveryCounts(), for: key))
        }
        return try await stores.write { try $0.expand(delivery.id, into: batches) }
    }

    private func recipients(of delivery: Delivery) async throws -> [DeliveryBatch.Recipients] {
        let teamID = delivery.occasion.sprint.teamID
        switch delivery.occasion.kind {
        case .test: return [.requester]
        case .reminder, .secondReminder, .message:
            let devices = try await bounds { after, limit in
                try await stores.read { try $0.devices(in: teamID, after: after, through: nil, limit: limit) }.map(\.id)
            }
            let members = try await bounds { after, limit in
                try await stores.read { try $0.memberIDs(of: teamID, after: after, through: nil, limit: limit) }
            }
            return IdentifierRange.covering(splitAt: devices).map { .devices($0) }
                + IdentifierRange.covering(splitAt: members).map { .members($0) }
        }
    }

    /// The bounds after every `batchSize` ids.
    /// - Parameter page: the ids after a bound, up to a limit, ascending.
    private func bounds<Entity>(
        in page: (_ after: Identifier<Entity>?, _ limit: Int) async throws -> [Identifier<Entity>]
    ) async throws -> [Identifier<Entity>] {
        var bounds: [Identifier<Entity>] = []
        while true {
            // One more than a page, to see the first id after its end.
            let ids = try await page(bounds.last, Self.pageSize + 1)
            bounds += stride(from: Self.batchSize, to: ids.count, by: Self.batchSize).map { end in
                Identifier.boundary(between: ids[end - 1], and: ids[end])
            }
            if ids.count <= Self.pageSize { return bounds }
        }
    }
}

/// Sends one batch of a delivery part by part and stores the progress after each. If a worker dies, the next one
/// continues from there: no recipient is skipped, and only what was being sent is sent twice.
///
/// Neither the log nor a metric shows how many it sent or how long it took.
struct SendDeliveryBatch: JobHandler {
    let stores: Stores
    let secret: BallotSecret
    let push: PushSender
    let mails: MailSender
    let catalog: TextCatalog
    let clock: WallClock

    let kind = DeliveryJobs.batchKind
    /// The time limits are `Delivery.patience` and `Delivery.mailPatience`; this number is for batches that crash their
    /// workers.
    let maximumAttempts = 1_000
    /// Eight parts, each waiting for a slow service for up to `patience` plus one call's deadline.
    let deadline = Duration.seconds(900)
    let isTimed = false

    /// How long to retry one message before the whole job is retried. More than the 60 to 70 s that FCM requires after
    /// its quota is exceeded: a retried job sends the message to all recipients of a part again.
    private static let patience = Duration.seconds(90)
    /// Number of attempts in which a part that partly failed is sent again to all of its recipients. After that the
    /// failed ones are given up: a device whose service always responds with errors must not cause duplicates for the
    /// others for an hour.
    static let attemptsWithRepeats = 2

    func run(_ context: JobContext) async throws {
        let key = try context.parameters(as: DeliveryBatch.Key.self)
        guard let delivery = try await stores.read({ try $0.delivery(key.deliveryID) }), delivery.state == .sending,
            let batch = try await stores.read({ try $0.batch(key) })
        else { return }
        if !batch.isDone { try await send(batch, of: delivery, in: context) }
        if !batch.isByMail {
            // If these were the last messages, the mails follow: users whose device turned out to be unregistered have
            // none now.
            try await DeliveryJobs(jobs: stores.jobs).send(
                stores.read { try $0.batches(of: delivery.id) }, of: delivery, at: context.now, runAt: context.job.runAt
            )
        }
        try await stores.write { try $0.finishDelivery(delivery.id) }
    }

    private func send(_ first: DeliveryBatch, of delivery: Delivery, in context: JobContext) async throws {
        let teamID = delivery.occasion.sprint.teamID
        let begun = clock.now
        // Push services use their own clocks, whatever time an operator simulates.
        let ahead = begun.timeIntervalSince(context.now)
        // Nothing to send for a team that was deleted meanwhile.
        guard let (sender, messageEnd) = try await sender(for: delivery, servicesAhead: ahead) else { return }
        let end = first.isByMail ? delivery.mailEnd ?? messageEnd : messageEnd
        let attempt = context.job.attempts
        var now: Date { context.now + clock.now.timeIntervalSince(begun) }
        var left: Duration { .seconds(max(0, end.timeIntervalSince(now))) }
        if first.isByMail {
            return try await mail(
                first, of: delivery, sender: sender, attempt: attempt, left: { left }, now: { now })
        }
        func serve(_ people: DeliveryPart.People) async throws -> PartResult {
            try await sender.serve(people, at: now, patience: min(left, Self.patience))
        }
        var batch = first
        while !batch.isDone {
            let parts = try await DeliveryPart.next(
                of: batch.recipients, team: teamID, stores: stores, sender: sender)
            // None of these parts' recipients could be reached; the next parts may show whether the service or the
            // devices are the cause.
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
                    // The service works. The stuck parts get another chance and must not block others after that.
                    result.startAgain(with: own)
                    for people in stuck { result += try await serve(people) }
                }
                try await retryIfNeeded(result, of: delivery, attempt: attempt, within: left)
                let next = try progress(of: batch, to: part.rest, adding: result)
                (stuck, result) = ([], PartResult())
                if try await stores.write({ [batch, next] rows in try rows.advance(batch, to: next) }) {
                    batch = next
                } else {
                    // Another worker has processed this batch too and was faster; its progress is valid.
                    guard let current = try await stores.read({ [batch] rows in try rows.batch(batch.key) }) else {
                        return
                    }
                    batch = current
                    break
                }
            }
        }
    }

    /// Collects what all parts need.
    /// - Parameter ahead: seconds by which the services' clock is ahead of the simulated time.
    /// - Returns: also the instant after which nothing is sent; `nil` if the delivery's team or sprint does not exist.
    func sender(
        for delivery: Delivery, servicesAhead ahead: TimeInterval
    ) async throws -> (DeliverySender, end: Date)? {
        let key = delivery.occasion.sprint
        guard let team = try await stores.team(key.teamID),
            let sprint = try await stores.sprint(key)?.sprint
        else { return nil }
        let settings = try await stores.read { try $0.reminderSettings(of: team.id) }
        let plan = ReminderPlan(
            sprint: sprint, zone: team.settings.zone, settings: settings,
            earlier: try await stores.read { try $0.reminders(of: key) })
        var author: User?
        if delivery.occasion.kind == .message, let id = delivery.requestedBy {
            author = try await stores.user(id)
        }
        try await TextFeed(catalog: catalog, store: stores.rows).refresh()
        let words = DeliveryTexts(
            delivery: delivery, team: team, sprint: sprint, settings: settings,
            experiment: try await stores.wordings(of: delivery.occasion, in: team.settings.zone, secret: secret),
            daysLeft: plan.daysLeft(on: delivery.occasion.day),
            canWait: [.reminder, .secondReminder].contains(delivery.occasion.kind)
                && ReminderCalendar(sprint: sprint, zone: team.settings.zone, settings: settings)
                    .postponement(at: delivery.begun, chosenHour: delivery.occasion.hour) != nil,
            expires: sprint.end + ahead,
            author: author, publicURL: mails.publicURL, texts: catalog.texts)
        let filter = RecipientFilter(
            delivery: delivery, plan: plan, absences: try await stores.read { try $0.absences(in: team.id) },
            stores: stores,
            secret: secret)
        let end = min(delivery.begun + Delivery.patience, sprint.end)
        return (DeliverySender(words: words, filter: filter, stores: stores, push: push, mails: mails), end)
    }

    /// Makes the job retry if no recipient was reached; in the first attempts also if some were not and waiting may
    /// help. If only a setting is wrong, for some devices, the others must not get the message three times.
    /// - Parameter left: time until the delivery ends; no wait is longer, so that the end is recorded.
    private func retryIfNeeded(
        _ result: PartResult, of delivery: Delivery, attempt: Int, within left: Duration
    ) async throws {
        guard let trouble = result.trouble,
            result.isStuck || (result.isPassing && attempt <= Self.attemptsWithRepeats)
        else { return }
        try await stores.write { try $0.setTrouble(.serviceUnavailable, of: delivery.id) }
        // For operators only. Administrators see the job's text, and they know who gets mails and who gets messages.
        Logger.current.warning("A delivery waits for a service", metadata: ["error": "\(trouble)"])
        throw JobError.unavailable(
            "a push service or the mail server", retryAfter: result.retryAfter.map { min($0, left) })
    }

    private func progress(
        of batch: DeliveryBatch, to rest: DeliveryBatch.Recipients?, adding result: PartResult
    ) throws -> DeliveryBatch {
        let seal = CountsSeal(secret: secret)
        // If the counts cannot be opened, they are lost: the delivery matters more.
        var counts = (seal.open(batch.sealedCounts, of: batch.key) ?? DeliveryCounts()) + result.allCounts
        counts.failed += result.unsettled
        var next = batch
        next.recipients = rest ?? batch.recipients
        next.sealedCounts = try seal.seal(counts, for: batch.key)
        next.isDone = rest == nil
        return next
    }
}

/// The part of a batch that is sent at once. After each part, the batch's progress is stored.
struct DeliveryPart: Sendable {
    /// The recipients of a part.
    enum People: Sendable {
        /// The owners of these devices, as read when the part was created.
        case devices([Device])
        /// The members who cannot get a push message.
        case members([User.ID])
        /// The user who requested the delivery.
        case requester

        /// The same without unregistered devices.
        func without(_ gone: Set<Device.ID>) -> Self {
            guard case .devices(let devices) = self else { return self }
            return .devices(devices.filter { !gone.contains($0.id) })
        }
    }

    let people: People
    /// The batch's remaining recipients after this part; `nil` if there are none.
    let rest: DeliveryBatch.Recipients?

    /// Devices per part: with four concurrent jobs, as many requests as one push service gets at once.
    static let deviceCount = 64
    /// Members per part who get a mail. Mails are slower, and duplicates are more annoying.
    static let memberCount = 16
    /// Devices or members per read: those of a batch, unless many were added since it was created.
    private static let pageSize = SplitDelivery.batchSize

    /// The next parts of a batch, at least one.
    /// - Parameter sender: finds the members who cannot get a push message. The others are in a part too and are checked
    ///   again when it is sent: a part waits for minutes for those before it, and a device may be unregistered by then.
    /// - Throws: `StorageError.unavailable`.
    static func next(
        of recipients: DeliveryBatch.Recipients, team: Team.ID, stores: Stores, sender: DeliverySender
    ) async throws -> [Self] {
        switch recipients {
        case .devices(let range):
            let devices = try await stores.read {
                try $0.devices(in: team, after: range.after, through: range.through, limit: pageSize + 1)
            }
            let slices = slices(of: devices, by: \.id, in: range, limit: pageSize, count: deviceCount) { _ in true }
            return slices.map { Self(people: .devices($0.items), rest: $0.rest.map { .devices($0) }) }
        case .members(let range):
            let members = try await stores.read {
                try $0.memberIDs(of: team, after: range.after, through: range.through, limit: pageSize + 1)
            }
            let unreached = try await sender.unreachedByPush(among: Array(members.prefix(pageSize)))
            let slices = slices(
                of: members, by: \.self, in: range, limit: pageSize, count: memberCount, where: unreached.contains)
            return slices.map { Self(people: .members($0.items), rest: $0.rest.map { .members($0) }) }
        case .requester:
            return [Self(people: .requester, rest: nil)]
        }
    }

    /// - Parameters:
    ///   - limit: number of items to split; of those after it only the existence matters.
    ///   - count: number of items per slice for which `counts` returns true.
    private static func slices<Item, Entity>(
        of items: [Item], by id: (Item) -> Identifier<Entity>, in range: IdentifierRange<Entity>, limit: Int,
        count: Int, where counts: (Item) -> Bool
    ) -> [(items: [Item], rest: IdentifierRange<Entity>?)] {
        let page = items.prefix(limit)
        let counted = page.indices.filter { counts(page[$0]) }
        var ends = stride(from: count, through: counted.count, by: count).map { counted[$0 - 1] + 1 }
        if ends.last != page.count { ends.append(page.count) }
        return zip([0] + ends, ends).map { start, end in
            var rest: IdentifierRange<Entity>?
            if end < items.count {
                let bound = Identifier.boundary(between: id(items[end - 1]), and: id(items[end]))
                rest = IdentifierRange(after: bound, through: range.through)
            }
            return (items: Array(items[start..<end]), rest: rest)
        }
    }
}
