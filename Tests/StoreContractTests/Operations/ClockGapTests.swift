import Domain
import Foundation
import Ports
import Services
import Storage
import TestSupport
import Testing

/// A clock that is far ahead of the newest time in the store closes nothing until it has been steady for ten minutes.
@Suite struct ClockGapTests {
    private static let wrong = 40 * TestTeam.day
    private static let threeWeeks = 21 * TestTeam.day

    /// A machine with a team whose sprint runs for eleven more days.
    private struct Machine {
        let stores: Stores
        let team: TestTeam
        let sprint: Sprint
        let wall: SettableClock
        /// Elapsed time, on a clock that is never set.
        let passed = SettableClock(Date(timeIntervalSince1970: 0))
        let log = CapturedLog()

        init(_ base: Stores) async throws {
            let wall = SettableClock(TestTeam.firstMonday + 3 * TestTeam.day)
            var stores = base
            stores.system = SystemStoreWithClock(base: base.system, clock: wall.wall)
            self.stores = stores
            self.wall = wall
            team = try await TestTeam.make(in: stores, members: 3)
            sprint = try await SprintService(stores: stores, secret: TestTeam.secret, clock: wall.wall)
                .runningSprint(of: team.team.id)
        }

        /// The check of a new process.
        func check(clock: WallClock? = nil) -> ClockCheck {
            let beginning = ContinuousClock.now
            let passed = passed
            return ClockCheck(
                stores: stores, ownID: nil, clock: clock ?? wall.wall,
                stopwatch: { beginning + .seconds(passed.now.timeIntervalSince1970) }, logger: log.logger)
        }

        func runningSprint(_ check: ClockCheck) async throws -> Sprint {
            // A new one each time, which remembers nothing.
            try await SprintService(
                stores: stores, secret: TestTeam.secret, clock: wall.wall, timing: .checked(check)
            ).runningSprint(of: team.team.id)
        }

        /// Time passes by all clocks.
        func pass(_ seconds: TimeInterval) {
            wall.advance(by: seconds)
            passed.advance(by: seconds)
        }

        func expectDoubt(_ check: ClockCheck, sourceLocation: SourceLocation = #_sourceLocation) async {
            await expectRejection(.unavailable, reason: .clockDoubtful, sourceLocation: sourceLocation) {
                try await check.requireAgreement()
            }
        }

        func expectUntouched(sourceLocation: SourceLocation = #_sourceLocation) async throws {
            let records = try await stores.sprints(of: team.team.id, matching: .all)
            #expect(records.map(\.sprint.key) == [sprint.key], sourceLocation: sourceLocation)
            #expect(records.allSatisfy { !$0.state.isClosed }, sourceLocation: sourceLocation)
        }

        func expectNext(_ check: ClockCheck, sourceLocation: SourceLocation = #_sourceLocation) async throws {
            let next = try await runningSprint(check)
            #expect(next.start >= sprint.end, sourceLocation: sourceLocation)
            let record = try await stores.sprint(sprint.key)
            #expect(record?.state.isClosed == true, sourceLocation: sourceLocation)
        }
    }

    private func withMachine(_ kind: StoreUnderTest, _ body: (Machine) async throws -> Void) async throws {
        try await kind.withStores { try await body(Machine($0)) }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A clock that is 40 days ahead for six seconds closes nothing`(kind: StoreUnderTest) async throws {
        try await withMachine(kind) { machine in
            let check = machine.check()
            try await check.requireAgreement()
            machine.wall.advance(by: Self.wrong)
            for _ in 0..<3 {
                #expect(try await machine.runningSprint(check) == machine.sprint)
                try await check.watch()
                await machine.expectDoubt(check)
                machine.pass(2)
            }
            // A process that starts just now has seen nothing else.
            await machine.expectDoubt(machine.check())
            // It can serve meanwhile.
            try await check.requireNoDifference()
            machine.wall.advance(by: -Self.wrong)
            try await machine.expectUntouched()
            #expect(machine.log.lines.count { $0.contains("sprints confirm-clock") } == 2)
            // The sprint goes on, and ends at its end.
            for _ in 0..<22 {
                #expect(try await machine.runningSprint(check) == machine.sprint)
                try await check.requireAgreement()
                machine.pass(TestTeam.day / 2)
            }
            try await machine.expectNext(check)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A server that was off for three weeks closes after ten minutes`(kind: StoreUnderTest) async throws {
        try await withMachine(kind) { machine in
            try await machine.check().watch()
            machine.wall.advance(by: Self.threeWeeks)
            let check = machine.check()
            for _ in 0..<40 {
                try await check.watch()
                #expect(try await machine.runningSprint(check) == machine.sprint)
                try await machine.expectUntouched()
                machine.pass(15)
            }
            try await machine.expectNext(check)
            // The others need not wait again.
            try await machine.check().requireAgreement()
            #expect(try await machine.check().gap() == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The ten minutes begin anew when the clock is set`(kind: StoreUnderTest) async throws {
        try await withMachine(kind) { machine in
            let check = machine.check()
            try await check.watch()
            machine.wall.advance(by: Self.wrong)
            await machine.expectDoubt(check)
            machine.pass(590)
            for shift in [3_600, -3_600, ClockCheck.drift + 1] {
                machine.wall.advance(by: shift)
                await machine.expectDoubt(check)
                machine.pass(599)
                await machine.expectDoubt(check)
            }
            // NTP slows it down a little.
            machine.wall.advance(by: 1 - ClockCheck.drift)
            machine.pass(1)
            try await check.requireAgreement()
        }
    }

    /// Two jumps with the right time in between are not ten minutes of the same clock.
    @Test(arguments: StoreUnderTest.all)
    func `A clock that was right meanwhile is doubted from its second jump on`(kind: StoreUnderTest) async throws {
        try await withMachine(kind) { machine in
            let check = machine.check()
            try await check.watch()
            machine.wall.advance(by: Self.wrong)
            try await check.watch()
            machine.wall.advance(by: -Self.wrong)
            machine.pass(600)
            try await check.watch()
            machine.wall.advance(by: Self.wrong)
            await machine.expectDoubt(check)
            try await machine.expectUntouched()
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An operator who confirms the time ends the wait, for a day from that time`(
        kind: StoreUnderTest
    ) async throws {
        try await withMachine(kind) { machine in
            let check = machine.check()
            try await check.watch()
            let newest = machine.wall.now
            machine.wall.advance(by: Self.threeWeeks)
            await machine.expectDoubt(check)
            let gap = ClockGap(newest: newest, now: machine.wall.now)
            #expect(try await machine.check().gap() == gap)
            #expect(try await machine.check().confirm() == gap)
            try await machine.expectNext(check)
            machine.wall.advance(by: ClockCheck.maximumGap + 1)
            await machine.expectDoubt(check)
        }
    }

    /// As `Worker --once` from cron: seldom exactly a day later, and 25 hours later when summer time ends.
    @Test(arguments: StoreUnderTest.all)
    func `A process that runs once a day never waits`(kind: StoreUnderTest) async throws {
        try await withMachine(kind) { machine in
            try await machine.check().watch()
            for delay: TimeInterval in [0, 1, 59, -59, 0, 3_600 + 59, -3_600, 1, 1, 1, 1, 1] {
                machine.wall.advance(by: TestTeam.day + delay)
                try await machine.check().requireAgreement()
                #expect(try await machine.stores.system.newestTime() == machine.wall.now)
            }
            try await machine.expectNext(machine.check())
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A clock that was set back closes nothing, and its time counts after ten minutes`(
        kind: StoreUnderTest
    ) async throws {
        try await withMachine(kind) { machine in
            let check = machine.check()
            try await check.watch()
            let newest = machine.wall.now
            machine.wall.advance(by: -Self.wrong)
            for _ in 0..<40 {
                #expect(try await machine.runningSprint(check) == machine.sprint)
                try await check.requireAgreement()
                #expect(try await machine.stores.system.newestTime() == newest)
                machine.pass(15)
            }
            try await check.watch()
            #expect(try await machine.stores.system.newestTime() == machine.wall.now)
            machine.wall.advance(by: Self.wrong)
            await machine.expectDoubt(check)
            try await machine.expectUntouched()
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A time that was read before the clock was set back is not used`(kind: StoreUnderTest) async throws {
        try await withMachine(kind) { machine in
            let check = machine.check()
            let early = machine.wall.now + Self.wrong
            let timing = SprintTiming.checked(check)
            let permitted = [try await timing.permits(at: machine.wall.now), try await timing.permits(at: early)]
            #expect(permitted == [true, false])
        }
    }

    /// However long it is wrong: the others are right.
    @Test(arguments: StoreUnderTest.all)
    func `Of two workers, the wrong one never makes its time the newest`(kind: StoreUnderTest) async throws {
        try await withMachine(kind) { machine in
            try await machine.check().watch()
            let newest = try await machine.stores.system.newestTime()
            let wall = machine.wall
            let wrong = machine.check(clock: WallClock { wall.now + Self.wrong })
            let right = ProcessRecord.ID.random()
            for _ in 0..<80 {
                try await machine.stores.record(
                    ProcessRecord(
                        id: right, kind: .worker, host: "other", version: "1", started: wall.now - 60, seen: wall.now,
                        load: ProcessLoad(memory: 1, cpu: 0)))
                try await wrong.watch()
                await machine.expectDoubt(wrong)
                machine.pass(15)
            }
            #expect(try await machine.stores.system.newestTime() == newest)
            await #expect(throws: AppError.self) { _ = try await wrong.confirm() }
            try await machine.expectUntouched()
        }
    }
}
