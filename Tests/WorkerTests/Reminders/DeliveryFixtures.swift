import AsyncHTTPClient
import Domain
import Foundation
import Logging
import Mail
import Ports
import Push
import ServiceLifecycle
import Services
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Worker

extension PushSender {
    /// For tests in which no message is due: no service has a driver.
    static let none = PushSender(drivers: [:], rate: PushRate(), logger: .silent)
}

/// The complete worker with the simulators of FCM and Mailgun, and a team to remind.
struct DeliveryWorker: Sendable {
    /// Monday 2026-01-05, 09:20 UTC: in the window of the first reminder of a two-week sprint in UTC.
    static let window = TestTeam.firstMonday + 9 * 3_600 + 20 * 60

    let stores: Stores
    let fcm: FCMSimulator
    let mailgun: MailgunSimulator
    private let environment: WorkerEnvironment

    /// Runs `body` with a worker on a new store.
    /// - Parameter services: those with a driver; all except FCM use the log driver.
    static func with(
        _ store: StoreUnderTest, services: Set<PushService> = [.fcm], logger: Logger = .silent,
        _ body: @escaping @Sendable (DeliveryWorker) async throws -> Void
    ) async throws {
        try await store.withStores { stores in
            try await MailgunSimulator.with { mailgun in
                try await GoogleTokenSimulator.with { tokens in
                    try await FCMSimulator.with(tokens: tokens) { fcm in
                        try await lend(
                            stores, mailgun: mailgun, tokens: tokens, fcm: fcm, services: services,
                            logger: logger, to: body)
                    }
                }
            }
        }
    }

    private static func lend(
        _ stores: Stores, mailgun: MailgunSimulator, tokens: GoogleTokenSimulator, fcm: FCMSimulator,
        services: Set<PushService>, logger: Logger,
        to body: @Sendable (DeliveryWorker) async throws -> Void
    ) async throws {
        let clients = WorkerClients()
        // A call that takes too long is repeated, and on a busy machine hundreds at once may take longer than usual.
        let patience = Duration.seconds(120)
        let result: Result<Void, any Error>
        do {
            result = try await TemporaryDirectory.with { directory in
                let keyFile = directory.path("account.json")
                try tokens.account.file(tokenURL: tokens.url).write(to: URL(filePath: keyFile))
                var drivers: [PushService: any PushDriver] = [:]
                for service in services { drivers[service] = LogDriver(logger: .silent) }
                if services.contains(.fcm) {
                    drivers[.fcm] = try FCMDriver(
                        settings: FCMSettings(serviceAccountFile: keyFile, baseURL: fcm.baseURL),
                        client: clients.push, deadline: patience)
                }
                let settings = MailgunSettings(
                    apiKey: SecretText(mailgun.apiKey), domain: mailgun.domain, baseURL: mailgun.baseURL)
                let mails = try MailSender(
                    driver: MailgunDriver(settings: settings, client: clients.mail, deadline: patience),
                    stores: stores)
                let environment = WorkerEnvironment(
                    stores: stores, secrets: .test, objects: .nowhere, mails: mails,
                    texts: try TextCatalog.original,
                    push: PushSender(
                        drivers: drivers, rate: PushRate(ramp: .zero), timer: SkippingClock(), logger: .silent),
                    clock: .system, checksClock: false, host: "127.0.0.1", metricsPort: 0, logger: logger)
                try await body(
                    DeliveryWorker(stores: stores, fcm: fcm, mailgun: mailgun, environment: environment))
                return .success(())
            }
        } catch {
            result = .failure(error)
        }
        try await clients.shutdown()
        try result.get()
    }

    /// Runs all jobs due at an instant.
    func run(at instant: Date = window, closesSprints: Bool = true) async throws {
        try await buildWorker(environment, mode: .once(at: instant, closesSprints: closesSprints)).run()
    }

    /// The object that sends a delivery at `window`, as the worker's jobs use it.
    func sender(for delivery: Delivery) async throws -> DeliverySender {
        let job = SendDeliveryBatch(
            stores: stores, secret: TestTeam.secret, push: environment.push, mails: environment.mails,
            catalog: environment.texts, clock: environment.clock)
        let ahead = environment.clock.now.timeIntervalSince(Self.window)
        return try #require(try await job.sender(for: delivery, servicesAhead: ahead)).0
    }

    /// A delivery of `window`'s sprint, stored and split, with nothing sent yet.
    func addDelivery(_ kind: Delivery.Kind, to team: Team, by requester: User? = nil) async throws -> Delivery {
        let sprints = SprintService(stores: stores, secret: TestTeam.secret, clock: WallClock { Self.window })
        let occasion = Delivery.Occasion(
            sprint: try await sprints.runningSprint(of: team.id).key, kind: kind,
            day: CalendarDay(instant: Self.window, in: .gmt))
        let delivery = Delivery(
            occasion: occasion, begun: Self.window, text: Delivery.Text(title: "Retro", body: "At ten."),
            requestedBy: requester?.id)
        _ = try await stores.insert(delivery)
        _ = try await SplitDelivery(stores: stores, secret: TestTeam.secret).batches(of: delivery)
        return delivery
    }

    /// A member with devices, whose tokens begin with the member's id.
    @discardableResult
    func addMember(
        to team: Team, devices: Int = 0, push: Bool = true, mail: Bool = true, isDisabled: Bool = false,
        role: User.Role = .member, service: PushService = .fcm, hour: Int? = nil
    ) async throws -> User {
        let id = User.ID.random()
        let user = User(
            id: id, name: try UserName("u\(id)"), email: try EmailAddress("\(id)@example.org"), role: role,
            isDisabled: isDisabled, notifications: NotificationSettings(push: push, mail: mail, hour: hour))
        try await stores.insert(user)
        try await stores.add(Membership(teamID: team.id, userID: id))
        for number in 0..<devices { try await addDevice(of: id, number, service: service) }
        return user
    }

    /// Adds a device.
    /// - Parameter id: for tests in which its place in batches and parts matters.
    func addDevice(
        of userID: User.ID, _ number: Int, service: PushService = .fcm, id: Device.ID? = nil
    ) async throws {
        let token = "\(userID):\(number)"
        let address: Device.Address =
            switch service {
            case .fcm: .fcm(token: token)
            case .apns: .apns(token: token)
            case .webPush:
                .webPush(
                    WebPushSubscription(
                        endpoint: "https://push.example/\(token)", publicKey: [], authenticationSecret: []))
            }
        let device = Device(
            id: id ?? .random(), userID: userID, sessionID: nil, address: address, platform: .android, appVersion: nil,
            locale: number.isMultiple(of: 2) ? "en" : "de", refreshed: CalendarDay(instant: Self.window, in: .gmt))
        _ = try await stores.register(device, limit: 1_000)
    }

    /// A team without members.
    func addTeam(_ name: String = "Platypus") async throws -> Team {
        let team = Team(name: name)
        try await stores.insert(team)
        return team
    }

    /// Adds a user's receipt to the sprint that runs at `window`, as if they had voted.
    func vote(_ user: User, in team: Team) async throws {
        let sprints = SprintService(stores: stores, secret: TestTeam.secret, clock: WallClock { Self.window })
        let sprint = try await sprints.runningSprint(of: team.id)
        let session = Session(
            userID: user.id, device: "test", expires: Self.window + TestTeam.day,
            lastUsed: CalendarDay(instant: Self.window, in: .gmt))
        try await stores.insert(session)
        let ballot = Ballot(
            voter: Ballot.Voter(
                sessionID: session.id, userID: user.id,
                receipt: Receipt(secret: TestTeam.secret, sprint: sprint.key, userID: user.id)),
            sprint: sprint.key, happiness: try Happiness(tenths: 70), feedback: nil)
        let box = BallotBox(store: stores.ballots, partitions: 1, clock: WallClock { Self.window })
        let outcomes = try await box.cast(ballot)
        box.close()
        guard case .counted = outcomes else { throw CocoaError(.featureUnsupported) }
    }

    /// Number of messages to each user's devices.
    var pushed: [User.ID: Int] {
        fcm.messages.reduce(into: [:]) { counts, message in
            if let id = User.ID(String(message.token.prefix(32))) { counts[id, default: 0] += 1 }
        }
    }

    /// Number of mails to each user.
    var mailed: [User.ID: Int] {
        mailgun.mails.reduce(into: [:]) { counts, mail in
            let id = mail["to"]?.firstMatch(of: /([0-9a-f]{32})@example\.org/).flatMap { User.ID(String($0.1)) }
            if let id { counts[id, default: 0] += 1 }
        }
    }

    /// A delivery's decrypted counts.
    func counts(of delivery: Delivery) async throws -> DeliveryCounts {
        let seal = CountsSeal(secret: TestTeam.secret)
        return try await stores.read { try $0.batches(of: delivery.id) }.reduce(DeliveryCounts()) { sum, batch in
            sum + (seal.open(batch.sealedCounts, of: batch.key) ?? DeliveryCounts())
        }
    }

    /// All deliveries.
    func deliveries() async throws -> [Delivery] {
        try await stores.read { try $0.deliveries(of: nil, after: nil, limit: 100) }
    }
}

/// A clock on which every pause ends immediately, for waits that do not matter to a test.
private struct SkippingClock: Clock {
    typealias Duration = Swift.Duration
    typealias Instant = ContinuousClock.Instant

    /// The time skipped so far.
    private final class Skipped: Sendable {
        let sum = Mutex(Swift.Duration.zero)
    }

    private let skipped = Skipped()

    var now: Instant { .now + skipped.sum.withLock { $0 } }
    var minimumResolution: Swift.Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
        try Task.checkCancellation()
        let left = deadline - now
        if left > .zero { skipped.sum.withLock { $0 += left } }
        await Task.yield()
    }
}
