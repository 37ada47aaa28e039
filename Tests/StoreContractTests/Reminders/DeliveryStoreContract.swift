import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

@Suite struct DeliveryStoreContract {
    @Test(arguments: StoreUnderTest.all)
    func `A delivery is found as inserted`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let user = try await stores.makeUser()
            let bare = try Delivery.fixture(of: team)
            let full = Delivery(
                occasion: try .fixture(of: team, .message), state: .done, begun: Instants.now,
                trouble: .serviceUnavailable, text: Delivery.Text(title: "Hello", body: "Two\nlines"),
                requestedBy: user.id)
            for delivery in [bare, full] {
                #expect(try await stores.insert(delivery))
                #expect(try await stores.delivery(delivery.id) == delivery)
            }
            #expect(try await stores.delivery(.random()) == nil)
            let lost = Delivery(occasion: try .fixture(of: Team(name: "nowhere"), .reminder), begun: Instants.now)
            await expectRejection(.notFound, reason: .noSuchTeam) { _ = try await stores.insert(lost) }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of many who plan a reminder at once, one succeeds`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let inserted = try await concurrently(12) { _ in
                try await stores.insert(try Delivery.fixture(of: team))
            }
            #expect(inserted.count(where: { $0 }) == 1)
            let occasion = try Delivery.Occasion.fixture(of: team, .reminder)
            #expect(try await stores.read { try $0.reminders(of: occasion.sprint) }.map(\.occasion) == [occasion])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Reminders of many teams are stored together, with their jobs, where they still make sense`(
        kind: StoreUnderTest
    ) async throws {
        try await kind.withStores { stores in
            var reminders: [Delivery] = []
            // The first two are stored.
            for number in 0..<5 {
                let team = try await stores.makeTeam()
                let sprint = try await stores.makeSprint(of: team)
                reminders.append(
                    Delivery(
                        occasion: Delivery.Occasion(
                            sprint: sprint.key, kind: .reminder, day: try #require(CalendarDay("2026-01-05"))),
                        state: number == 1 ? .skipped : .sending, begun: Instants.now))
                switch number {
                case 2: _ = try await stores.ballots.close(sprint.key)
                case 3:
                    let earlier = Delivery(occasion: try #require(reminders.last).occasion, begun: Instants.now)
                    #expect(try await stores.insert(earlier))
                case 4: _ = try await stores.transaction { try $0.delete(team) }
                default: break
                }
            }
            let planned = reminders
            let stored = try await concurrently(6) { _ in
                try await stores.add(reminders: planned, runAt: Instants.now)
            }
            #expect(stored.flatMap { $0 } == Array(planned.prefix(2)))
            let jobs = try await stores.jobs.list(state: .ready, limit: 9)
            #expect(jobs.map(\.payload) == [#"{"deliveryID":"\#(planned[0].id)"}"#])
            #expect(jobs.map(\.runAt) == [Instants.now])
            // The job that the worker would add for it is the same.
            try await DeliveryJobs(jobs: stores.jobs).deliver(planned[0].id, runAt: Instants.now)
            #expect(try await stores.jobs.list(state: .ready, limit: 9) == jobs)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Only reminders are unique, and only within their occasion`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (one, other) = (try await stores.makeTeam(), try await stores.makeTeam())
            for delivery in [
                try Delivery.fixture(of: one), try .fixture(of: other), try .fixture(of: one, .secondReminder),
                try .fixture(of: one, day: "2026-01-06"), try .fixture(of: one, day: "2026-01-06", hour: 0),
                try .fixture(of: one, day: "2026-01-06", hour: 7), try .fixture(of: one, .message),
                try .fixture(of: one, .message), try .fixture(of: one, .test), try .fixture(of: one, .test),
            ] {
                #expect(try await stores.insert(delivery))
            }
            let sprint = Sprint.Key(teamID: one.id, start: Instants.start)
            let reminders = try await stores.read { try $0.reminders(of: sprint) }.map(\.occasion)
            #expect(
                Set(reminders.map { "\($0.day) \($0.kind) \($0.hour ?? -1)" }) == [
                    "2026-01-05 reminder -1", "2026-01-05 secondReminder -1", "2026-01-06 reminder -1",
                    "2026-01-06 reminder 0", "2026-01-06 reminder 7",
                ])
            #expect(try await !stores.insert(try Delivery.fixture(of: one, day: "2026-01-06", hour: 7)))
            let listed = try await stores.read { try $0.deliveries(of: one.id, after: nil, limit: 100) }
            #expect(listed.count == 7 && listed.allSatisfy { $0.occasion.hour == nil })
            let later = Sprint.Key(teamID: one.id, start: Instants.start + 14 * Instants.day)
            #expect(try await stores.read { try $0.reminders(of: later) }.isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Deliveries are listed by day in pages, for one team or all`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (one, other) = (try await stores.makeTeam(), try await stores.makeTeam())
            var all: [Delivery] = []
            for day in ["2026-01-05", "2026-01-07", "2026-01-06"] {
                for team in [one, other, one] {
                    let delivery = try Delivery.fixture(of: team, .message, day: day)
                    _ = try await stores.insert(delivery)
                    all.append(delivery)
                }
            }
            all.sort { ($1.occasion.day, $0.id) < ($0.occasion.day, $1.id) }
            for team in [nil, one] {
                let expected = all.filter { team == nil || $0.occasion.sprint.teamID == team?.id }
                var listed: [Delivery] = []
                repeat {
                    listed += try await stores.read { [listed] rows in
                        try rows.deliveries(of: team?.id, after: listed.last?.position, limit: 2)
                    }
                } while listed.count < expected.count && listed.count.isMultiple(of: 2)
                #expect(listed == expected)
                let position = try #require(expected.last?.position)
                #expect(try await stores.read { try $0.deliveries(of: team?.id, after: position, limit: 2) }.isEmpty)
            }
            #expect(try await stores.read { try $0.deliveries(of: nil, after: nil, limit: 0) }.isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of two concurrent expansions, one takes effect for both`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let delivery = try Delivery.fixture(of: try await stores.makeTeam())
            _ = try await stores.insert(delivery)
            #expect(try await stores.read { try $0.batches(of: delivery.id) }.isEmpty)
            let expansions = try await concurrently(8) { number in
                // Each process has read other devices, so the bounds differ.
                try await stores.write {
                    try $0.expand(delivery.id, into: DeliveryBatch.fixtures(of: delivery.id, count: 1 + number))
                }
            }
            let kept = try await stores.read { try $0.batches(of: delivery.id) }
            #expect(!kept.isEmpty && expansions.allSatisfy { $0 == kept })
            #expect(kept.map(\.key.number) == Array(0..<kept.count))
            for batch in kept { #expect(try await stores.read { try $0.batch(batch.key) } == batch) }
            let missing = DeliveryBatch.Key(deliveryID: delivery.id, number: 99)
            #expect(try await stores.read { try $0.batch(missing) } == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of many who move a batch from one place, one succeeds`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let delivery = try Delivery.fixture(of: try await stores.makeTeam())
            _ = try await stores.insert(delivery)
            let batches = try await stores.write {
                try $0.expand(delivery.id, into: DeliveryBatch.fixtures(of: delivery.id, count: 3))
            }
            for batch in batches {
                let moved = try await concurrently(8) { number in
                    var next = batch
                    next.recipients = batch.recipients.movedOn()
                    next.sealedCounts = SealedCounts(bytes: [UInt8(number)])
                    next.sealedPending = SealedPending(bytes: [7, UInt8(number)])
                    return try await stores.write { [next] rows in try rows.advance(batch, to: next) } ? next : nil
                }
                let next = try #require(moved.compactMap(\.self).first)
                #expect(moved.compactMap(\.self).count == 1)
                #expect(try await stores.read { try $0.batch(batch.key) } == next)

                var last = next
                last.isDone = true
                last.sealedPending = nil
                #expect(try await !stores.advance(batch, to: last))
                #expect(try await stores.advance(next, to: last))
                // After its end it cannot advance.
                #expect(try await !stores.advance(last, to: next))
                #expect(try await stores.read { try $0.batch(batch.key) } == last)
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A delivery is done with its last batch`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let delivery = try Delivery.fixture(of: team)
            let skipped = Delivery(
                occasion: try .fixture(of: team, .secondReminder), state: .skipped, begun: Instants.now,
                trouble: .windowMissed)
            let later = Delivery(
                occasion: try .fixture(of: team, .message), begun: Instants.now + 1,
                text: Delivery.Text(title: "t", body: "b"))
            for delivery in [later, delivery, skipped] { _ = try await stores.insert(delivery) }
            #expect(
                try await stores.read { try $0.unfinishedDeliveries(limit: 9) }.map(\.id) == [delivery.id, later.id])
            #expect(try await stores.read { try $0.unfinishedDeliveries(limit: 1) }.map(\.id) == [delivery.id])

            try await stores.write { try $0.finishDelivery(delivery.id) }
            #expect(try await stores.delivery(delivery.id)?.state == .sending)
            let batches = try await stores.write {
                try $0.expand(delivery.id, into: DeliveryBatch.fixtures(of: delivery.id, count: 2))
            }
            for batch in batches {
                try await stores.write { try $0.finishDelivery(delivery.id) }
                #expect(try await stores.delivery(delivery.id)?.state == .sending)
                var last = batch
                last.isDone = true
                #expect(try await stores.advance(batch, to: last))
            }
            try await stores.write { try $0.setTrouble(.serviceUnavailable, of: delivery.id) }
            try await stores.write { try $0.finishDelivery(delivery.id) }
            let done = try #require(try await stores.delivery(delivery.id))
            #expect(done.state == .done && done.trouble == .serviceUnavailable)
            try await stores.write { try $0.finishDelivery(skipped.id) }
            #expect(try await stores.delivery(skipped.id) == skipped)
            #expect(try await stores.read { try $0.unfinishedDeliveries(limit: 9) } == [later])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A deleted account's name is taken off its messages`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            let delivery = Delivery(
                occasion: try .fixture(of: try await stores.makeTeam(), .message), begun: Instants.now,
                text: Delivery.Text(title: "t", body: "b"), requestedBy: user.id)
            _ = try await stores.insert(delivery)
            #expect(try await stores.read { try $0.deliveries(requestedBy: user.id) } == [delivery])
            try await stores.delete(id: user.id, enqueueing: Job(kind: "test", runAt: Instants.now))
            var nameless = delivery
            nameless.requestedBy = nil
            #expect(try await stores.delivery(delivery.id) == nameless)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Users and receipts are found many at a time`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let sprint = try await stores.makeSprint(of: team)
            let voters = try await stores.makeVoters(5, in: team)
            let voted = voters.prefix(2)
            _ = try await stores.cast(try voted.map { try $0.ballot(in: sprint) })
            let ids = voters.map(\.user.id)
            let users = try await stores.read { try $0.users(ids + [.random()]) }
            #expect(users.map(\.id) == ids.sorted() && Set(users.map(\.name)) == Set(voters.map(\.user.name)))
            #expect(try await stores.read { try $0.users([]) }.isEmpty)
            let receipts = voters.map { $0.receipt(in: sprint) }
            let existing = try await stores.ballots.existing(among: receipts)
            #expect(existing == Set(voted.map { $0.receipt(in: sprint) }))
            #expect(try await stores.ballots.existing(among: []).isEmpty)
        }
    }
}

extension Delivery {
    fileprivate static func fixture(
        of team: Team, _ kind: Kind = .reminder, day: String = "2026-01-05", hour: Int? = nil
    ) throws -> Delivery {
        Delivery(occasion: try .fixture(of: team, kind, day: day, hour: hour), begun: Instants.now)
    }
}

extension Delivery.Occasion {
    fileprivate static func fixture(
        of team: Team, _ kind: Delivery.Kind, day: String = "2026-01-05", hour: Int? = nil
    ) throws -> Delivery.Occasion {
        Delivery.Occasion(
            sprint: Sprint.Key(teamID: team.id, start: Instants.start), kind: kind,
            day: try #require(CalendarDay(day)), hour: hour)
    }
}

extension DeliveryBatch {
    /// All three kinds, each with its own bounds.
    fileprivate static func fixtures(of id: Delivery.ID, count: Int) -> [DeliveryBatch] {
        (0..<count).map { number in
            let recipients: Recipients =
                switch number % 3 {
                case 0: .devices(IdentifierRange(after: nil, through: .random()))
                case 1: .members(IdentifierRange(after: .random(), through: nil))
                default: .requester
                }
            let bytes = (0..<48).map { _ in UInt8.random(in: 0...255) }
            return DeliveryBatch(
                key: Key(deliveryID: id, number: number), recipients: recipients,
                sealedCounts: SealedCounts(bytes: bytes))
        }
    }
}

extension DeliveryBatch.Recipients {
    fileprivate func movedOn() -> Self {
        switch self {
        case .devices(let range): .devices(IdentifierRange(after: .random(), through: range.through))
        case .members(let range): .members(IdentifierRange(after: .random(), through: range.through))
        case .requester: .requester
        }
    }
}
