import Domain
import Foundation
import Logging
import Ports
import Push
import Synchronization
import TestSupport
import Testing

@Suite struct PushSenderTests {
    /// Returns the given results, one per attempt, and then accepts everything.
    private final class ScriptedDriver: PushDriver {
        struct Attempt: Equatable {
            let address: Device.Address
            let date: Date
        }

        private let state: Mutex<(answers: [PushError?], attempts: [Attempt])>

        init(_ answers: PushError?...) {
            state = Mutex((answers, []))
        }

        var attempts: [Attempt] { state.withLock { $0.attempts } }

        func send(_ message: PushMessage, to address: Device.Address, at now: Date) async throws {
            let response = state.withLock { state in
                state.attempts.append(Attempt(address: address, date: now))
                return state.answers.isEmpty ? nil : state.answers.removeFirst()
            }
            if let response { throw response }
        }
    }

    private let clock = ManualClock(start: PushFixtures.date)
    private let message = PushFixtures.message()

    private func sender(
        _ drivers: [PushService: any PushDriver], rate: PushRate = PushRate(requestsPerSecond: 1_000, ramp: .zero),
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) -> PushSender {
        PushSender(drivers: drivers, rate: rate, clock: clock.wall, timer: clock, random: { 0 }, logger: logger)
    }

    /// Advances the clock while tasks wait for it, and returns the result.
    private func outcome(
        of sender: PushSender, to address: Device.Address = .fcm(token: "a"), within time: Duration = .seconds(600),
        advancing steps: [Duration]
    ) async throws -> PushOutcome {
        async let outcome = sender.send(message, to: address, within: time)
        for step in steps {
            await clock.sleepers(atLeast: 1)
            clock.advance(by: step)
        }
        return try await outcome
    }

    @Test func `The driver is that of the device's service`() async throws {
        let fcm = ScriptedDriver()
        let apns = ScriptedDriver()
        let sender = sender([.fcm: fcm, .apns: apns], rate: PushRate(requestsPerSecond: 10_000, ramp: .zero))
        #expect(try await outcome(of: sender, to: .apns(token: "00"), advancing: []) == .accepted)
        #expect(fcm.attempts.isEmpty)
        #expect(apns.attempts == [.init(address: .apns(token: "00"), date: PushFixtures.date)])
    }

    @Test func `A service without a driver is told apart`() async throws {
        let sender = sender([.fcm: ScriptedDriver()])
        #expect(try await outcome(of: sender, to: .apns(token: "00"), advancing: []) == .noDriver)
    }

    @Test(
        arguments: [
            (.unregistered(since: PushFixtures.date), .unregistered(since: PushFixtures.date)),
            (.unregistered(), .unregistered(since: nil)),
            (.rejected("why"), .rejected("why")),
            (.misconfigured("why"), .misconfigured("why")),
        ] as [(PushError, PushOutcome)])
    func `A permanent error is not tried again`(error: PushError, expected: PushOutcome) async throws {
        let driver = ScriptedDriver(error)
        #expect(try await outcome(of: sender([.fcm: driver]), advancing: []) == expected)
        #expect(driver.attempts.count == 1)
    }

    @Test func `An unavailable service is tried again with growing waits`() async throws {
        let driver = ScriptedDriver(.unavailable("x"), .unavailable("x"), .unavailable("x"))
        let outcome = try await outcome(
            of: sender([.fcm: driver]), advancing: [.seconds(10), .seconds(10), .seconds(20)])
        #expect(outcome == .accepted)
        #expect(driver.attempts.map { $0.date.timeIntervalSince(PushFixtures.date) } == [0, 10, 20, 40])
    }

    @Test func `No attempt begins after the deadline`() async throws {
        let driver = ScriptedDriver(.unavailable("first"), .unavailable("second"), .unavailable("third"))
        let outcome = try await outcome(of: sender([.fcm: driver]), within: .seconds(15), advancing: [.seconds(10)])
        #expect(outcome == .failed("second", retryAfter: nil))
        #expect(driver.attempts.count == 2)
    }

    @Test func `A Retry-After beyond the deadline is passed on`() async throws {
        let driver = ScriptedDriver(.unavailable("busy", retryAfter: .seconds(900)))
        let sender = sender([.fcm: driver])
        #expect(try await outcome(of: sender, advancing: []) == .failed("busy", retryAfter: .seconds(900)))
        let next = try await outcome(of: sender, to: .fcm(token: "b"), advancing: [])
        #expect(next == .failed("the service asked for a pause", retryAfter: .seconds(900)))
        #expect(driver.attempts.count == 1)
    }

    @Test func `A Retry-After pauses the whole service and no other`() async throws {
        let fcm = ScriptedDriver(.unavailable("busy", retryAfter: .seconds(60)))
        let apns = ScriptedDriver()
        let sender = sender([.fcm: fcm, .apns: apns])
        async let first = sender.send(message, to: .fcm(token: "a"), within: .seconds(600))
        await clock.sleepers(atLeast: 1)
        async let second = sender.send(message, to: .fcm(token: "b"), within: .seconds(600))
        await clock.sleepers(atLeast: 2)
        async let other = sender.send(message, to: .apns(token: "00"), within: .seconds(600))
        // It waits for its reserved time, since all services share the rate.
        await clock.sleepers(atLeast: 3)
        clock.advance(by: .seconds(1))
        #expect(try await other == .accepted)
        #expect(fcm.attempts.count == 1)
        clock.advance(by: .seconds(59))
        // One of the two has the first reservation, the other the next.
        await clock.sleepers(atLeast: 1)
        #expect(fcm.attempts.count <= 2)
        clock.advance(by: .milliseconds(1))
        let outcomes = try await [first, second]
        #expect(outcomes == [.accepted, .accepted])
        #expect(fcm.attempts.count == 3)
        #expect(fcm.attempts.dropFirst().allSatisfy { $0.date >= PushFixtures.date + 60 })
    }

    @Test func `A pause of one browser service leaves the others alone`() async throws {
        func browser(_ endpoint: String) -> Device.Address {
            .webPush(WebPushSubscription(endpoint: endpoint, publicKey: [], authenticationSecret: []))
        }
        let driver = ScriptedDriver(.unavailable("busy", retryAfter: .seconds(900)))
        let sender = sender([.webPush: driver], rate: PushRate(requestsPerSecond: 10_000, ramp: .zero))
        let paused = try await outcome(of: sender, to: browser("https://updates.example/one"), advancing: [])
        #expect(paused == .failed("busy", retryAfter: .seconds(900)))
        clock.advance(by: .seconds(1))
        #expect(try await outcome(of: sender, to: browser("https://push.example/two"), advancing: []) == .accepted)
        let same = try await outcome(of: sender, to: browser("https://UPDATES.example:443/three"), advancing: [])
        #expect(same == .failed("the service asked for a pause", retryAfter: .seconds(899)))
    }

    @Test func `A service that rejects every device as foreign removes none`() async throws {
        let driver = ScriptedDriver(.notOurs("why"), .notOurs("why"), .notOurs("why"))
        let log = CapturedLog()
        let sender = sender([.apns: driver], logger: log.logger)
        for number in 0..<3 {
            let outcome = try await outcome(of: sender, to: .apns(token: "0\(number)"), advancing: [.seconds(10)])
            #expect(outcome == .misconfigured("why"))
        }
        #expect(driver.attempts.count == 3)
        #expect(log.lines == ["error: Push messages cannot be sent error=why push.service=apns"])
    }

    @Test func `A service that has accepted a message is believed about one device`() async throws {
        let driver = ScriptedDriver(nil, .notOurs("why"), .notOurs("why"))
        let sender = sender([.apns: driver], rate: PushRate(requestsPerSecond: 10_000, ramp: .zero))
        #expect(try await outcome(of: sender, to: .apns(token: "00"), advancing: []) == .accepted)
        clock.advance(by: .seconds(1))
        #expect(try await outcome(of: sender, to: .apns(token: "01"), advancing: []) == .unregistered(since: nil))
        clock.advance(by: .seconds(1))
        let third = try await outcome(of: sender, to: .apns(token: "02"), advancing: [.seconds(10)])
        #expect(third == .misconfigured("why"))
    }

    @Test func `The first of a burst waits for the service's answers to the others`() async throws {
        let driver = ScriptedDriver(.notOurs("why"))
        let sender = sender([.apns: driver], rate: PushRate(requestsPerSecond: 10_000, ramp: .zero))
        async let first = sender.send(message, to: .apns(token: "00"), within: .seconds(60))
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(1))
        #expect(try await outcome(of: sender, to: .apns(token: "01"), advancing: []) == .accepted)
        clock.advance(by: .seconds(9))
        #expect(try await first == .unregistered(since: nil))
        #expect(driver.attempts.count == 2)
    }

    @Test func `Messages are sent at the set pace`() async throws {
        let driver = ScriptedDriver()
        let sender = sender([.fcm: driver], rate: PushRate(requestsPerSecond: 2, ramp: .zero))
        try await withThrowingTaskGroup(of: PushOutcome.self) { group in
            for number in 0..<5 {
                group.addTask { try await sender.send(message, to: .fcm(token: "\(number)"), within: .seconds(600)) }
            }
            let first = try await group.next()
            #expect(first == .accepted)
            for left in stride(from: 4, through: 1, by: -1) {
                await clock.sleepers(atLeast: left)
                clock.advance(by: .milliseconds(500))
                let outcome = try await group.next()
                #expect(outcome == .accepted)
            }
        }
        #expect(Set(driver.attempts.map { $0.date.timeIntervalSince(PushFixtures.date) }) == [0, 0.5, 1, 1.5, 2])
    }

    @Test func `Waiting for another attempt ends with the task`() async {
        let driver = ScriptedDriver(.unavailable("x"))
        let sender = sender([.fcm: driver])
        await withThrowingTaskGroup(of: PushOutcome.self) { group in
            group.addTask { try await sender.send(message, to: .fcm(token: "a"), within: .seconds(600)) }
            await clock.sleepers(atLeast: 1)
            group.cancelAll()
            await #expect(throws: CancellationError.self) { try await group.next() }
        }
        #expect(driver.attempts.count == 1)
    }

    @Test func `Trouble with the settings is logged once a minute`() async throws {
        let driver = ScriptedDriver(.misconfigured("why"), .misconfigured("why"), .misconfigured("why"))
        let log = CapturedLog()
        let sender = sender([.fcm: driver], logger: log.logger)
        _ = try await outcome(of: sender, advancing: [])
        clock.advance(by: .seconds(59))
        _ = try await outcome(of: sender, advancing: [])
        #expect(log.lines == ["error: Push messages cannot be sent error=why push.service=fcm"])
        clock.advance(by: .seconds(1))
        _ = try await outcome(of: sender, advancing: [])
        #expect(log.lines.count == 2)
    }

    @Test func `The log accepts every service and reports a message once`() async throws {
        let log = CapturedLog()
        let driver = LogDriver(logger: log.logger)
        let sender = sender(Dictionary(uniqueKeysWithValues: PushService.allCases.map { ($0, driver) }))
        let browser = WebPushSubscription(
            endpoint: "https://push.example/secret", publicKey: [1], authenticationSecret: [2])
        for address in [Device.Address.fcm(token: "secret"), .apns(token: "secret"), .webPush(browser)] {
            #expect(try await outcome(of: sender, to: address, advancing: []) == .accepted)
            clock.advance(by: .seconds(1))
        }
        #expect(log.lines.count == 1)
        #expect(log.lines.first?.hasPrefix("info: Push message push.body=") == true)
        #expect(!log.lines.joined().contains("secret"))
    }
}
