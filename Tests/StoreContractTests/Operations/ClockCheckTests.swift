import Domain
import Foundation
import Logging
import Ports
import Services
import Storage
import TestSupport
import Testing

/// A process with a wrong clock closes no sprint.
@Suite struct ClockCheckTests {
    private static let wrong = 40 * TestTeam.day

    /// A team's running sprint, and a process with another time.
    private struct Fixture {
        let stores: Stores
        let team: TestTeam
        let sprint: Sprint
        /// Elapsed time, on a clock that is never set.
        let passed = SettableClock(Date(timeIntervalSince1970: 0))

        init(_ stores: Stores) async throws {
            self.stores = stores
            team = try await TestTeam.make(in: stores, members: 3)
            let right = SprintService(stores: stores, secret: TestTeam.secret, clock: Self.clock(0))
            sprint = try await right.runningSprint(of: team.team.id)
        }

        static func clock(_ ahead: TimeInterval) -> WallClock { WallClock { Date() + ahead } }

        func check(ahead: TimeInterval, ownID: ProcessRecord.ID? = nil) -> ClockCheck {
            let beginning = ContinuousClock.now
            let passed = passed
            return ClockCheck(
                stores: stores, ownID: ownID, clock: Self.clock(ahead),
                stopwatch: { beginning + .seconds(passed.now.timeIntervalSince1970) }, logger: Logger(label: "test"))
        }

        func sprints(_ check: ClockCheck, ahead: TimeInterval) -> SprintService {
            SprintService(stores: stores, secret: TestTeam.secret, clock: Self.clock(ahead), timing: .checked(check))
        }

        /// A heartbeat of another process.
        func beat(_ id: ProcessRecord.ID, at instant: Date) async throws {
            try await stores.record(
                ProcessRecord(
                    id: id, kind: .worker, host: "other", version: "1", started: instant - 60, seen: instant,
                    load: ProcessLoad(memory: 1, cpu: 0, connections: nil, requests: nil)))
        }

        func expectUntouched() async throws {
            let records = try await stores.sprints(of: team.team.id, matching: .all)
            #expect(records.map(\.sprint.key) == [sprint.key])
            #expect(records.allSatisfy { !$0.state.isClosed })
        }
    }

    @Test(.needsMongod) func `On MongoDB, the server's clock is asked`() async throws {
        try await StoreUnderTest.mongodb.withStores { stores in
            let fixture = try await Fixture(stores)
            for ahead in [Self.wrong, 130, -130] {
                let check = fixture.check(ahead: ahead)
                await expectRejection(.unavailable, reason: .clockDoubtful) { try await check.requireAgreement() }
                await expectRejection(.unavailable, reason: .clockDoubtful) { try await check.requireNoDifference() }
            }
            let ahead = fixture.sprints(fixture.check(ahead: Self.wrong), ahead: Self.wrong)
            #expect(try await ahead.runningSprint(of: fixture.team.team.id).key == fixture.sprint.key)
            try await fixture.expectUntouched()
            try await fixture.check(ahead: 60).requireAgreement()
        }
    }

    @Test func `On SQLite, another running process is believed`() async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            let fixture = try await Fixture(stores)
            let other = ProcessRecord.ID.random()
            try await fixture.beat(other, at: Date())
            let check = fixture.check(ahead: Self.wrong)
            let ahead = fixture.sprints(check, ahead: Self.wrong)
            // It may have died 40 days ago.
            #expect(try await ahead.runningSprint(of: fixture.team.team.id).key == fixture.sprint.key)
            try await check.requireNoDifference()
            // It is alive.
            fixture.passed.advance(by: 15)
            try await fixture.beat(other, at: Date() + 15)
            await expectRejection(.unavailable, reason: .clockDoubtful) { try await check.requireNoDifference() }
            #expect(try await ahead.runningSprint(of: fixture.team.team.id).key == fixture.sprint.key)
            try await fixture.expectUntouched()
        }
    }

    @Test func `On SQLite, a process that died long ago delays nobody for more than a minute`() async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            let fixture = try await Fixture(stores)
            try await fixture.beat(.random(), at: Date() - Self.wrong)
            let check = fixture.check(ahead: 0)
            await expectRejection(.unavailable, reason: .clockDoubtful) { try await check.requireAgreement() }
            fixture.passed.advance(by: ProcessRecord.lifetime + 1)
            try await check.requireAgreement()
        }
    }

    @Test func `One other clock that agrees is enough beside that of a dead process`() async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            let fixture = try await Fixture(stores)
            let own = ProcessRecord.ID.random()
            try await fixture.beat(own, at: Date() - Self.wrong)
            try await fixture.check(ahead: 0, ownID: own).requireAgreement()
            try await fixture.beat(.random(), at: Date() - Self.wrong)
            try await fixture.beat(.random(), at: Date() - 20)
            try await fixture.check(ahead: 0, ownID: own).requireAgreement()
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A worker with a pretended time starts and ends nothing`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let fixture = try await Fixture(stores)
            let frozen = SprintService(
                stores: stores, secret: TestTeam.secret, clock: Fixture.clock(Self.wrong), timing: .frozen)
            #expect(try await frozen.runningSprint(of: fixture.team.team.id).key == fixture.sprint.key)
            try await fixture.expectUntouched()
        }
    }
}
