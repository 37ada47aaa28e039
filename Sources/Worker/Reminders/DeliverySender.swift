import Domain
import Foundation
import Mail
import Ports
import Push
import Services
import Storage

/// Sends a delivery to its recipients, several at once.
struct DeliverySender: Sendable {
    let words: DeliveryTexts
    let filter: RecipientFilter
    let stores: Stores
    let push: PushSender
    let mails: MailSender

    /// The outcome of one message or mail.
    enum Outcome: Sendable {
        case accepted
        case mailed
        case removed
        case rejected
        /// Not sent yet: the service is unavailable, or, if `isPassing` is false, its settings are wrong.
        case unsettled(reason: String, retryAfter: Duration?, isPassing: Bool = true)
    }

    /// Sends to the recipients of a part.
    /// - Parameters:
    ///   - now: the simulated time, if an operator chose one.
    ///   - patience: how long to retry a failing push service; zero sends nothing and reports the recipients as
    ///     `failed`.
    /// - Throws: `StorageError.unavailable`; `CancellationError`.
    func serve(_ people: DeliveryPart.People, at now: Date, patience: Duration) async throws -> PartResult {
        switch people {
        case .devices(let devices):
            return try await serveOwners(of: devices, at: now, patience: patience)
        case .members(let ids):
            let users = try await filter.admitted(among: ids)
            let unreached = try await unreachedByPush(ids.compactMap { users[$0] })
            return try await send(to: unreached, at: now, patience: patience)
        case .requester:
            guard let id = words.delivery.requestedBy, let user = try await filter.admitted(among: [id])[id] else {
                return PartResult()
            }
            var result = try await send(to: reachableDevices(of: user), patience: patience)
            // Checked again: the last device may just have been unregistered.
            if user.takesMails, try await reachableDevices(of: user).isEmpty {
                result += try await send(to: [user], at: now, patience: patience)
            }
            return result
        }
    }

    /// Sends the message to the devices that are still registered, under their current owners.
    ///
    /// A user without any device left gets the mail if the mails skipped them because of such a device: mails do not
    /// wait for messages indefinitely, and the service may report the device as gone only later. That mail is tried
    /// once, since the device that leads to its owner would no longer exist at the next attempt.
    private func serveOwners(of devices: [Device], at now: Date, patience: Duration) async throws -> PartResult {
        let ids = devices.map(\.id)
        let present = try await stores.read { try $0.devices(ids) }
        let users = try await filter.admitted(among: devices.map(\.userID))
        var result = try await send(
            to: present.filter { users[$0.userID]?.notifications.push == true }, patience: patience)
        guard present.count < devices.count || result.counts.removed > 0 else { return result }

        let left = Set(try await stores.read { try $0.devices(ids) }.map(\.id))
        // A device that no message could have reached did not hold back a mail.
        let gone = devices.filter { device in
            !left.contains(device.id) && push.services.contains(device.address.service)
                && users[device.userID]?.notifications.push == true
        }
        let unreached = try await unreachedByPush(Set(gone.map(\.userID)).compactMap { users[$0] })
        guard !unreached.isEmpty else { return result }
        let batches = try await stores.read { try $0.batches(of: words.delivery.id) }
        let mailed = try await send(
            to: unreached.filter { user in !batches.contains { $0.isAhead(of: user.id) } }, at: now, patience: patience)
        result.addAside(mailed, for: Set(gone.map(\.id)))
        return result
    }

    private func reachableDevices(of user: User) async throws -> [Device] {
        guard user.notifications.push else { return [] }
        return try await stores.read { try $0.devices(of: user.id) }.filter {
            push.services.contains($0.address.service)
        }
    }

    /// The users who take mails and cannot get a push message: they disabled push, or have no device that a driver
    /// supports.
    private func unreachedByPush(_ users: [User]) async throws -> [User] {
        let reached = try await stores.read { [users] rows in
            try rows.deviceOwners(among: users.filter(\.notifications.push).map(\.id), reachedBy: push.services)
        }
        return users.filter { $0.takesMails && !reached.contains($0.id) }
    }

    /// The same for these members, before they get a mail and are checked again.
    func unreachedByPush(among ids: [User.ID]) async throws -> Set<User.ID> {
        let users = try await stores.read { try $0.users(ids) }
        return Set(try await unreachedByPush(users).map(\.id))
    }

    // MARK: - Messages

    private func send(to devices: [Device], patience: Duration) async throws -> PartResult {
        let reachable = devices.filter { push.services.contains($0.address.service) }
        guard patience > .zero else { return PartResult(failed: reachable.count) }
        let messages = Dictionary(
            uniqueKeysWithValues: Set(reachable.map(words.version)).map { ($0, words.push($0)) })
        return try await withThrowingTaskGroup(of: Outcome?.self) { group in
            for device in reachable {
                guard let message = messages[words.version(for: device)] else { continue }
                group.addTask { try await send(message, to: device, patience: patience) }
            }
            return try await group.reduce(into: PartResult()) { $0.count($1) }
        }
    }

    /// - Returns: `nil` if no driver supports the device.
    private func send(_ message: PushMessage, to device: Device, patience: Duration) async throws -> Outcome? {
        switch try await push.send(message, to: device.address, within: patience) {
        case .accepted: return .accepted
        case .unregistered(let since):
            try await stores.write { rows in
                try rows.deleteDevice(
                    device.id, ifAddressIs: device.address,
                    refreshedBy: since.map { CalendarDay(instant: $0, in: .gmt) })
            }
            return .removed
        case .rejected: return .rejected
        case .noDriver: return nil
        case .failed(let reason, let retryAfter):
            return .unsettled(reason: reason, retryAfter: retryAfter)
        case .misconfigured(let reason):
            return .unsettled(reason: reason, retryAfter: nil, isPassing: false)
        }
    }

    // MARK: - Mails

    private func send(to users: [User], at now: Date, patience: Duration) async throws -> PartResult {
        guard patience > .zero else { return PartResult(failed: users.count) }
        return try await withThrowingTaskGroup(of: Outcome?.self) { group in
            var result = PartResult()
            for (index, user) in users.enumerated() {
                if index >= mails.limiter.maximum, let outcome = try await group.next() { result.count(outcome) }
                group.addTask { try await send(to: user, at: now) }
            }
            return try await group.reduce(into: result) { $0.count($1) }
        }
    }

    /// Sends one mail.
    func send(to user: User, at now: Date) async throws -> Outcome {
        do {
            try await mails.sendQuietly(
                words.mail(to: user), id: words.mailID(for: user.id), to: user,
                dependsOnVotes: words.delivery.occasion.kind.dependsOnVotes, at: now)
            return .mailed
        } catch MailError.unavailable(let reason, let retryAfter) {
            return .unsettled(reason: reason, retryAfter: retryAfter)
        } catch MailError.busy(let reason) {
            return .unsettled(reason: reason, retryAfter: nil)
        } catch MailError.misconfigured(let reason) {
            return .unsettled(reason: reason, retryAfter: nil, isPassing: false)
        } catch MailError.rejected, MailError.undeliverable, JobError.rejected {
            return .rejected
        }
    }
}

/// Decides who gets a delivery at the moment of sending. It stores nothing.
struct RecipientFilter: Sendable {
    let delivery: Delivery
    let plan: ReminderPlan
    /// Absences by member; members without any are missing.
    let absences: [User.ID: [Absence]]
    let stores: Stores
    let secret: BallotSecret

    /// The ids among `ids` that get the delivery: no one who is disabled or has left the team; and for a reminder, no
    /// one who is absent or has voted, and no one at all once the sprint is closed. A test goes to the user who
    /// requested it, whether or not they are in the team.
    /// - Throws: `StorageError.unavailable`.
    func admitted(among ids: some Sequence<User.ID>) async throws -> [User.ID: User] {
        let ids = Array(Set(ids))
        var users = try await stores.read { try $0.users(ids) }.filter { !$0.isDisabled }
        if delivery.occasion.kind != .test {
            let members = try await stores.read { try $0.memberIDs(of: delivery.occasion.sprint.teamID, among: ids) }
            users = users.filter { members.contains($0.id) }
        }
        if delivery.occasion.kind.dependsOnVotes {
            users = users.filter {
                plan.includes(
                    delivery.occasion, absences: absences[$0.id] ?? [], chosenHour: $0.notifications.hour,
                    daysOff: $0.notifications.daysOff)
            }
            let voted = try await stores.ballots.existing(among: users.map { receipt(of: $0.id) })
            users = users.filter { !voted.contains(receipt(of: $0.id)) }
            // Asked last: receipts are removed after the close, so those missing above may be of people who voted.
            let record = try await stores.sprint(delivery.occasion.sprint)
            guard record?.state.isClosed == false else { return [:] }
        }
        return Dictionary(uniqueKeysWithValues: users.map { ($0.id, $0) })
    }

    private func receipt(of userID: User.ID) -> Receipt {
        Receipt(secret: secret, sprint: delivery.occasion.sprint, userID: userID)
    }
}
