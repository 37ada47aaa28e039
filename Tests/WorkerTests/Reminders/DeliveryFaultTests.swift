import Domain
import Foundation
import Ports
import Push
import Services
import Storage
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
            #expect(try await worker.stores.devices(of: phone.id).count == 1)
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
            for user in users { #expect(try await worker.stores.devices(of: user.id).count == 20) }
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

    /// Ten members who get mails; for four of them the first mails fail.
    private func withSlowRecipients(
        _ store: StoreUnderTest, failures: Int,
        _ body: @escaping @Sendable (DeliveryWorker, _ slow: [User.ID], _ all: [User.ID]) async throws -> Void
    ) async throws {
        try await DeliveryWorker.with(store) { worker in
            let team = try await worker.addTeam()
            var members: [User.ID] = []
            for _ in 0..<10 { members.append(try await worker.addMember(to: team).id) }
            let slow = Array(members.prefix(4))
            for id in slow {
                for _ in 0..<failures { worker.mailgun.fail(containing: id.description, .status(503)) }
            }
            try await body(worker, slow, members)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Recipients whose server refuses for a while are tried alone, and all get one mail`(
        store: StoreUnderTest
    ) async throws {
        try await withSlowRecipients(store, failures: 3) { worker, slow, members in
            try await worker.run()
            #expect(worker.mailed == Dictionary(uniqueKeysWithValues: members.dropFirst(4).map { ($0, 1) }))
            #expect(try await worker.deliveries().map(\.state) == [.sending])
            for minutes in [2.0, 20] {
                try await worker.run(at: DeliveryWorker.window + minutes * 60)
                #expect(worker.mailed.keys.allSatisfy { !slow.contains($0) })
            }
            try await worker.run(at: DeliveryWorker.window + 45 * 60)
            #expect(worker.mailed == Dictionary(uniqueKeysWithValues: members.map { ($0, 1) }))
            let delivery = try #require(try await worker.deliveries().first)
            #expect(delivery.state == .done)
            let counts = try await worker.counts(of: delivery)
            #expect(counts.mailed == 10 && counts.failed == 0)
            #expect(worker.mailgun.requests == 10 + 3 * 4)
            #expect(
                try await worker.stores.read { try $0.batches(of: delivery.id) }.allSatisfy { $0.sealedPending == nil })
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A reminder's mails are given up after an hour`(store: StoreUnderTest) async throws {
        try await withSlowRecipients(store, failures: 99) { worker, _, members in
            for minutes in [0.0, 20, 59] { try await worker.run(at: DeliveryWorker.window + minutes * 60) }
            let requests = worker.mailgun.requests
            let delivery = try #require(try await worker.deliveries().first)
            #expect(delivery.state == .sending && delivery.trouble == .serviceUnavailable)
            try await worker.run(at: DeliveryWorker.window + 80 * 60)
            #expect(worker.mailgun.requests == requests)
            #expect(worker.mailed == Dictionary(uniqueKeysWithValues: members.dropFirst(4).map { ($0, 1) }))
            #expect(try await worker.deliveries().map(\.state) == [.done])
            let counts = try await worker.counts(of: delivery)
            #expect(counts.mailed == 6 && counts.failed == 4)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A member who votes meanwhile gets no mail`(store: StoreUnderTest) async throws {
        try await DeliveryWorker.with(store) { worker in
            let team = try await worker.addTeam()
            let votes = try await worker.addMember(to: team)
            let waits = try await worker.addMember(to: team)
            let other = try await worker.addMember(to: team)
            for user in [votes, waits] { worker.mailgun.fail(containing: user.id.description, .status(503)) }
            try await worker.run()
            #expect(worker.mailed == [other.id: 1])
            try await worker.vote(votes, in: team)
            try await worker.run(at: DeliveryWorker.window + 1_200)
            #expect(worker.mailed == [other.id: 1, waits.id: 1])
            #expect(try await worker.deliveries().map(\.state) == [.done])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A message's mails are tried for a day`(store: StoreUnderTest) async throws {
        try await DeliveryWorker.with(store) { worker in
            let team = try await worker.addTeam()
            let slow = try await worker.addMember(to: team)
            let lost = try await worker.addMember(to: team)
            let other = try await worker.addMember(to: team)
            // On the sprint's second Tuesday, when no reminder is due.
            let begun = DeliveryWorker.window + 8 * 86_400
            let sprints = SprintService(
                stores: worker.stores, secret: TestTeam.secret, clock: WallClock { begun })
            let sprint = try await sprints.runningSprint(of: team.id).key
            try await worker.run(at: begun - 60)
            let before = worker.mailed
            worker.mailgun.fail(containing: slow.id.description, .status(503), .status(503), .status(503))
            for _ in 0..<99 { worker.mailgun.fail(containing: lost.id.description, .status(503)) }
            let message = Delivery(
                occasion: .init(sprint: sprint, kind: .message, day: CalendarDay(instant: begun, in: .gmt)),
                begun: begun, text: Delivery.Text(title: "Retro", body: "At ten."))
            _ = try await worker.stores.insert(message)
            try await DeliveryJobs(jobs: worker.stores.jobs).deliver(message.id, runAt: begun)
            func state() async throws -> Delivery.State? {
                try await worker.stores.delivery(message.id)?.state
            }
            for hours in [0.0, 1, 5] { try await worker.run(at: begun + hours * 3_600) }
            #expect(worker.mailed[slow.id] == before[slow.id])
            try await worker.run(at: begun + 23 * 3_600)
            #expect(worker.mailed[slow.id] == (before[slow.id] ?? 0) + 1)
            #expect(worker.mailed[other.id] == (before[other.id] ?? 0) + 1)
            #expect(try await state() == .sending)
            try await worker.run(at: begun + 25 * 3_600)
            #expect(try await state() == .done)
            #expect(worker.mailed[lost.id] == before[lost.id])
        }
    }
}
