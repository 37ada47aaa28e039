import Domain
import Foundation
import Logging
import Mail
import Services
import Storage

/// Batches of members who get a mail. Each member is served once, and alone if their mail could not be sent yet.
extension SendDeliveryBatch {
    /// Sends the mails of a batch.
    ///
    /// A part is stored as pending before its first mail, and each member is removed from there as soon as their mail is
    /// accepted, rejected or not wanted. If a worker dies, only mails that it was sending are sent again. Members whose
    /// mail failed stay pending for the next attempt, which begins with them.
    /// - Parameters:
    ///   - left: the time until the mails are given up.
    ///   - now: the simulated time, if an operator chose one.
    /// - Throws: `JobError.unavailable` if members are left; `StorageError.unavailable`; `CancellationError`.
    func mail(
        _ batch: DeliveryBatch, of delivery: Delivery, sender: DeliverySender, attempt: Int, left: () -> Duration,
        now: () -> Date
    ) async throws {
        var progress = try MailProgress(batch, secret: secret)
        // Members who were tried in this attempt.
        var tried: Set<User.ID> = []
        var result = PartResult()
        var parts: [DeliveryPart] = []
        while !progress.batch.isDone {
            let due = progress.pending.filter { !tried.contains($0) }
            if !due.isEmpty {
                tried.formUnion(due)
                let own = try await serve(due, with: sender, progress: &progress, left: left(), now: now())
                result += own
                // The server is unavailable: the others wait with these. Later they are tried too, in case it rejects
                // only some.
                if own.isStuck, attempt <= Self.attemptsWithRepeats { break }
                continue
            }
            if progress.batch.recipients.isExhausted {
                guard progress.pending.isEmpty else { break }
                try await store(&progress)
                continue
            }
            if parts.isEmpty {
                parts = try await DeliveryPart.next(
                    of: progress.batch.recipients, team: delivery.occasion.sprint.teamID, stores: stores,
                    sender: sender)
            }
            let part = parts.removeFirst()
            guard case .members(let ids) = part.people else { break }
            // Those who cannot get a message: a device may have been removed since the parts were made.
            let unreached = try await sender.unreachedByPush(among: ids)
            let members = ids.filter(unreached.contains)
            guard progress.pending.count + members.count <= PendingSeal.capacity else { break }
            progress.pending += members
            progress.recipients = part.rest ?? progress.recipients.exhausted
            try await store(&progress)
        }
        guard !progress.batch.isDone else { return }
        try await stores.write { try $0.setTrouble(.serviceUnavailable, of: delivery.id) }
        // For operators only. Administrators see the job's text, and they know who gets mails and who gets messages.
        Logger.current.warning("A delivery waits for a service", metadata: ["error": "\(result.trouble ?? "")"])
        let longest = left()
        throw JobError.unavailable(
            "a push service or the mail server", retryAfter: result.retryAfter.map { min($0, longest) })
    }

    /// Sends to pending members, several at once, and stores each outcome as soon as it is known.
    private func serve(
        _ members: [User.ID], with sender: DeliverySender, progress: inout MailProgress, left: Duration, now: Date
    ) async throws -> PartResult {
        let users = try await sender.filter.admitted(among: members)
        guard left > .zero else {
            progress.counts.failed += users.count
            progress.pending.removeAll { members.contains($0) }
            try await store(&progress)
            return PartResult()
        }
        var current = progress
        let result = try await withThrowingTaskGroup(of: (User.ID, DeliverySender.Outcome?).self) { group in
            var result = PartResult()
            // Those who have voted are settled at once. In the order of their ids, the times of the writes, which
            // MongoDB's oplog keeps, would tell who they are.
            for (index, id) in members.shuffled().enumerated() {
                if index >= mails.limiter.maximum, let (served, outcome) = try await group.next() {
                    try await settle(served, outcome, progress: &current, result: &result)
                }
                let user = users[id]
                group.addTask {
                    guard let user, user.takesMails else { return (id, nil) }
                    return (id, try await sender.send(to: user, at: now))
                }
            }
            while let (served, outcome) = try await group.next() {
                try await settle(served, outcome, progress: &current, result: &result)
            }
            return result
        }
        progress = current
        return result
    }

    private func settle(
        _ id: User.ID, _ outcome: DeliverySender.Outcome?, progress: inout MailProgress, result: inout PartResult
    ) async throws {
        result.count(outcome)
        if case .unsettled? = outcome { return }
        var one = PartResult()
        one.count(outcome)
        progress.counts = progress.counts + one.counts
        progress.pending.removeAll { $0 == id }
        // Also for members who get no mail, so that the number of writes does not tell how many have voted.
        try await store(&progress)
    }

    private func store(_ progress: inout MailProgress) async throws {
        let (batch, next) = (progress.batch, try progress.next(secret: secret))
        guard try await stores.write({ try $0.advance(batch, to: next) }) else {
            // Its lease has expired, and another worker has the batch.
            throw JobError.unavailable("the batch, which another worker sends")
        }
        progress.batch = next
    }
}

/// A batch of mails, opened.
private struct MailProgress {
    /// As stored.
    var batch: DeliveryBatch
    var recipients: DeliveryBatch.Recipients
    var pending: [User.ID]
    var counts: DeliveryCounts

    /// If the counts cannot be opened, they are lost: the delivery matters more.
    init(_ batch: DeliveryBatch, secret: BallotSecret) throws {
        self.batch = batch
        recipients = batch.recipients
        pending = batch.sealedPending.flatMap { PendingSeal(secret: secret).open($0, of: batch.key) } ?? []
        counts = CountsSeal(secret: secret).open(batch.sealedCounts, of: batch.key) ?? DeliveryCounts()
    }

    /// What to store. Nobody is pending in a batch that is done.
    func next(secret: BallotSecret) throws -> DeliveryBatch {
        var next = batch
        next.recipients = recipients
        next.sealedCounts = try CountsSeal(secret: secret).seal(counts, for: batch.key)
        next.isDone = recipients.isExhausted && pending.isEmpty
        next.sealedPending = next.isDone ? nil : try PendingSeal(secret: secret).seal(pending, for: batch.key)
        return next
    }
}
