import Foundation
import Push
import Services
import TestSupport
import Testing

@testable import Worker

/// Deliveries while a push service or the mail server fails.
@Suite struct DeliveryFaultTests {
    @Test(arguments: StoreUnderTest.all)
    func `A reminder that nobody could send is noted as skipped once`(store: StoreUnderTest) async throws {
        let log = CapturedLog()
        try await DeliveryWorker.with(store, logger: log.logger) { worker in
            let team = try await worker.addTeam()
            _ = try await worker.addMember(to: team, devices: 1)
            // Starts the first sprint, in which nothing can have been missed.
            try await worker.run(at: TestTeam.firstMonday + 18 * 3_600)
            #expect(try await worker.deliveries().isEmpty && log.lines.allSatisfy { !$0.contains("missed") })
            let evening = TestTeam.firstMonday + 14 * 86_400 + 18 * 3_600
            for minutes in 0..<3 {
                try await worker.run(at: evening + Double(60 * minutes))
            }
            let delivery = try #require(try await worker.deliveries().first)
            #expect(delivery.state == .skipped && delivery.trouble == .windowMissed)
            #expect(try await worker.deliveries().count == 1 && worker.pushed.isEmpty)
            #expect(log.lines.count { $0.contains("A reminder was missed") } == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An unavailable service is tried again, and late messages are given up`(store: StoreUnderTest) async throws {
        try await DeliveryWorker.with(store) { worker in
            let team = try await worker.addTeam()
            let user = try await worker.addMember(to: team, devices: 1)
            let token = "\(user.id):0"
            for _ in 0..<60 { worker.fcm.fail(token, .unavailable()) }
            try await worker.run()
            let delivery = try #require(try await worker.deliveries().first)
            #expect(delivery.state == .sending && delivery.trouble == .serviceUnavailable && worker.pushed.isEmpty)
            // An hour later nothing more is sent.
            let requests = worker.fcm.requests
            try await worker.run(at: DeliveryWorker.window + 3_700)
            #expect(worker.fcm.requests == requests)
            #expect(try await worker.deliveries().map(\.state) == [.done])
            #expect(try await worker.counts(of: delivery).failed == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Nobody gets the message twice after a quota was used up`(store: StoreUnderTest) async throws {
        try await DeliveryWorker.with(store) { worker in
            let team = try await worker.addTeam()
            let one = try await worker.addMember(to: team, devices: 1)
            let other = try await worker.addMember(to: team, devices: 1)
            worker.fcm.fail("\(one.id):0", .quotaExceeded())
            try await worker.run()
            #expect(worker.pushed == [one.id: 1, other.id: 1])
            #expect(try await worker.deliveries().map(\.state) == [.done])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `If a setting is wrong for some devices, the others get one message`(store: StoreUnderTest) async throws {
        try await DeliveryWorker.with(store) { worker in
            let team = try await worker.addTeam()
            let android = try await worker.addMember(to: team, devices: 1)
            let phone = try await worker.addMember(to: team, devices: 1)
            for _ in 0..<9 { worker.fcm.fail("\(phone.id):0", .thirdPartyAuthenticationError) }
            try await worker.run()
            try await worker.run(at: DeliveryWorker.window + 1_800)
            #expect(worker.pushed == [android.id: 1])
            let delivery = try #require(try await worker.deliveries().first)
            #expect(delivery.state == .done)
            let counts = try await worker.counts(of: delivery)
            #expect(counts.accepted == 1 && counts.failed == 1)
            #expect(try await worker.stores.devices.list(userID: phone.id).count == 1)
        }
    }

    /// The same applies to Apple's host for another environment, and to another key for browsers.
    @Test(arguments: StoreUnderTest.all)
    func `A service account of another project removes no device`(store: StoreUnderTest) async throws {
        try await DeliveryWorker.with(store) { worker in
            let team = try await worker.addTeam()
            var users: [User] = []
            for _ in 0..<3 { users.append(try await worker.addMember(to: team, devices: 20)) }
            for user in users {
                for number in 0..<20 { worker.fcm.fail("\(user.id):\(number)", .senderIDMismatch) }
            }
            try await worker.run()
            for user in users { #expect(try await worker.stores.devices.list(userID: user.id).count == 20) }
            #expect(try await worker.deliveries().map(\.state) == [.sending])
            // An operator corrects the setting within the hour.
            try await worker.run(at: DeliveryWorker.window + 1_800)
            #expect(worker.pushed == Dictionary(uniqueKeysWithValues: users.map { ($0.id, 20) }))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `If the mail server is unreachable, everyone gets the mail later`(store: StoreUnderTest) async throws {
        try await DeliveryWorker.with(store) { worker in
            let team = try await worker.addTeam()
            let user = try await worker.addMember(to: team)
            worker.mailgun.fail(.status(503))
            try await worker.run()
            #expect(worker.mailed.isEmpty)
            #expect(try await worker.deliveries().map(\.trouble) == [.serviceUnavailable])
            try await worker.run(at: DeliveryWorker.window + 900)
            #expect(worker.mailed == [user.id: 1])
            #expect(try await worker.deliveries().map(\.state) == [.done])
        }
    }
}
