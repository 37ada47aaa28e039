import Foundation
import Mail
import Push
import Shared

/// Hands a delivery over, person by person, several at once.
struct DeliveryPost: Sendable {
    let words: DeliveryWords
    let gate: DeliveryGate
    let stores: Stores
    let push: PushSender
    let mails: MailSender

    /// Mails on their way at once from one batch: mail servers take few connections from one client.
    private static let mailConcurrency = 4

    /// What became of one message or mail.
    enum Outcome: Sendable {
        case accepted
        case mailed
        case removed
        case refused
        /// Not now: the service is away, or, if that is not `passing`, its settings are wrong.
        case unsettled(reason: String, retryAfter: Duration?, isPassing: Bool = true)
    }

    /// Serves the people of a part.
    /// - Parameters:
    ///   - now: the pretended time, if an operator chose one.
    ///   - patience: after which a push service that fails is given up for now; zero serves nobody, and tells who would
    ///     have been as `failed`.
    /// - Throws: `AppError.storeUnavailable`; `CancellationError`.
    func serve(_ people: DeliveryPart.People, at now: Date, patience: Duration) async throws -> PartResult {
        switch people {
        case .devices(let devices):
            return try await serveOwners(of: devices, at: now, patience: patience)
        case .members(let ids):
            let users = try await gate.admitted(among: ids)
            let unreached = try await unreachedByPush(ids.compactMap { users[$0] })
            return try await send(to: unreached, at: now, patience: patience)
        case .requester:
            guard let id = words.delivery.requestedBy, let user = try await gate.admitted(among: [id])[id] else {
                return PartResult()
            }
            var result = try await send(to: reachableDevices(of: user), patience: patience)
            // Looked again: the last one may just have turned out to be gone.
            if user.notifications.mail, try await reachableDevices(of: user).isEmpty {
                result += try await send(to: [user], at: now, patience: patience)
            }
            return result
        }
    }

    /// Sends the message to those of these devices that are still there, under the owners they have now.
    ///
    /// Whoever has none left gets the mail, if the mails have passed them over for one: these do not wait for messages for
    /// ever, and the service of one that they waited for may say at last that it is gone. That mail is tried once, for
    /// the device would not be there to find its owner by.
    private func serveOwners(of devices: [Device], at now: Date, patience: Duration) async throws -> PartResult {
        let ids = devices.map(\.id)
        let present = try await stores.devices.list(ids: ids)
        let users = try await gate.admitted(among: devices.map(\.userID))
        var result = try await send(
            to: present.filter { users[$0.userID]?.notifications.push == true }, patience: patience)
        guard present.count < devices.count || result.counts.removed > 0 else { return result }

        let left = Set(try await stores.devices.list(ids: ids).map(\.id))
        // A device that no message could have gone to held back no mail.
        let gone = devices.filter { device in
            !left.contains(device.id) && push.services.contains(device.address.service)
                && users[device.userID]?.notifications.push == true
        }
        let unreached = try await unreachedByPush(Set(gone.map(\.userID)).compactMap { users[$0] })
        guard !unreached.isEmpty else { return result }
        let batches = try await stores.deliveries.batches(of: words.delivery.id)
        let mailed = try await send(
            to: unreached.filter { user in !batches.contains { $0.isAhead(of: user.id) } }, at: now, patience: patience)
        result.addAside(mailed, for: Set(gone.map(\.id)))
        return result
    }

    private func reachableDevices(of user: User) async throws -> [Device] {
        guard user.notifications.push else { return [] }
        return try await stores.devices.list(userID: user.id).filter { push.services.contains($0.address.service) }
    }

    /// Of these users, those who want mails and get no message: none wanted, no device, or none that a driver reaches.
    private func unreachedByPush(_ users: [User]) async throws -> [User] {
        let reached = try await stores.devices.owners(
            among: users.filter(\.notifications.push).map(\.id), reachedBy: push.services)
        return users.filter { $0.notifications.mail && !reached.contains($0.id) }
    }

    /// The same of these members, before they are served and looked at again.
    func unreachedByPush(among ids: [User.ID]) async throws -> Set<User.ID> {
        let users = try await stores.users.list(ids: ids)
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

    /// - Returns: `nil` if there is no way to it.
    private func send(_ message: PushMessage, to device: Device, patience: Duration) async throws -> Outcome? {
        switch try await push.send(message, to: device.address, within: patience) {
        case .accepted: return .accepted
        case .unregistered(let since):
            try await stores.devices.delete(
                id: device.id, ifAddressIs: device.address,
                refreshedBy: since.map { CalendarDay(instant: $0, in: .gmt) })
            return .removed
        case .refused: return .refused
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
                if index >= Self.mailConcurrency, let outcome = try await group.next() { result.count(outcome) }
                group.addTask { try await send(to: user, at: now) }
            }
            return try await group.reduce(into: result) { $0.count($1) }
        }
    }

    private func send(to user: User, at now: Date) async throws -> Outcome {
        do {
            try await mails.sendQuietly(
                words.mail(to: user), id: words.mailID(for: user.id), to: user.email, locale: user.locale, at: now)
            return .mailed
        } catch MailError.unavailable(let reason, let retryAfter) {
            return .unsettled(reason: reason, retryAfter: retryAfter)
        } catch MailError.refused, JobError.refused {
            return .refused
        }
    }
}

/// What became of a part's people.
struct PartResult: Sendable {
    /// By outcome; `failed` are those for whom it was too late.
    private(set) var counts = DeliveryCounts()
    /// Of people who were served in another way, which tells nothing about the one that was tried.
    private(set) var countsAside = DeliveryCounts()
    /// Devices that are gone, whose owners have been looked after.
    private(set) var gone: Set<Device.ID> = []
    /// How many could not be served now.
    private(set) var unsettled = 0
    /// What kept the last of these from it, in words for operators.
    private(set) var trouble: String?
    /// Whether some of these may be served a little later without anybody's doing.
    private(set) var isPassing = false
    /// The longest wait that was asked for.
    private(set) var retryAfter: Duration?

    init(failed: Int = 0) {
        counts.failed = failed
    }

    /// By outcome, all together.
    var allCounts: DeliveryCounts { counts + countsAside }

    /// Whether anybody was served.
    var hasSettled: Bool { counts != DeliveryCounts() }

    /// Whether there was somebody to serve, and nobody could be.
    var isStuck: Bool { trouble != nil && !hasSettled }

    /// The same with nobody left to serve: whoever was not is given up.
    var givenUp: Self {
        var result = Self()
        result.counts = counts
        result.counts.failed += unsettled
        return result
    }

    /// Adds the mails to owners of devices that are gone. They do not show that a push service is back.
    mutating func addAside(_ mails: Self, for devices: Set<Device.ID>) {
        countsAside = countsAside + mails.givenUp.counts
        gone.formUnion(devices)
    }

    /// Keeps of all parts but one only who was served in another way: the others are to be served again.
    mutating func startAgain(with one: Self) {
        let aside = countsAside
        self = one
        countsAside = aside
    }

    /// Adds another part's.
    static func += (sum: inout Self, other: Self) {
        sum.counts = sum.counts + other.counts
        sum.countsAside = sum.countsAside + other.countsAside
        sum.gone.formUnion(other.gone)
        sum.unsettled += other.unsettled
        sum.trouble = other.trouble ?? sum.trouble
        sum.isPassing = sum.isPassing || other.isPassing
        sum.retryAfter = [sum.retryAfter, other.retryAfter].compactMap { $0 }.max()
    }

    /// - Parameter outcome: `nil` counts nowhere.
    mutating func count(_ outcome: DeliveryPost.Outcome?) {
        switch outcome {
        case .accepted: counts.accepted += 1
        case .mailed: counts.mailed += 1
        case .removed: counts.removed += 1
        case .refused: counts.refused += 1
        case .unsettled(let reason, let wait, let isPassing):
            unsettled += 1
            trouble = reason
            self.isPassing = self.isPassing || isPassing
            retryAfter = [retryAfter, wait].compactMap { $0 }.max()
        case nil: break
        }
    }
}
