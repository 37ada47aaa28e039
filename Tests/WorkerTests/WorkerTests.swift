import ArgumentParser
import Domain
import Foundation
import Logging
import Mail
import Ports
import ServiceLifecycle
import Services
import Storage
import TestSupport
import Testing

@testable import Worker

/// The complete worker on a real store.
@Suite struct WorkerTests {
    private func environment(_ stores: Stores) throws -> WorkerEnvironment {
        let templates = Repository.root.appending(path: "templates/mail")
        let mails = MailSender(
            driver: NoMail(),
            templates: try MailTemplates(
                directory: templates, publicURL: "http://localhost", texts: TextCatalog.original),
            from: try MailAddress("service@example.org"), publicURL: "http://localhost", store: stores.rows,
            unsubscribing: .test,
            addresses: AddressFaultService(stores: stores, secrets: .test, clock: .system))
        return WorkerEnvironment(
            stores: stores, secrets: .test, objects: .nowhere, mails: mails, texts: try TextCatalog.original,
            push: .none,
            clock: WallClock { testStart }, checksClock: false,
            host: "127.0.0.1", metricsPort: 0, logger: .silent)
    }

    /// Starts a one-day sprint that ends at `end`.
    private func startSprint(_ stores: Stores, team name: String, end: Date) async throws -> Sprint.Key {
        let team = Team(name: name)
        try await stores.insert(team)
        let sprint = Sprint(
            teamID: team.id, start: end - 86_400, end: end, closes: end, label: SprintLabel(year: 2026, number: 23),
            threshold: 3, policy: .live)
        return try await stores.start(sprint).key
    }

    @Test(arguments: StoreUnderTest.all)
    func `A single run closes the sprints that are over`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            let over = try await startSprint(stores, team: "over", end: testStart)
            let open = try await startSprint(stores, team: "open", end: testStart + 1)
            try await buildWorker(environment(stores), mode: .once(at: nil)).run()
            #expect(try await stores.sprint(over)?.state.isClosed == true)
            #expect(try await stores.sprint(open)?.state.isClosed == false)
            #expect(try await stores.jobs.list(state: .dead, limit: 10).isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Past absences are deleted`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            let user = User(name: try UserName("Ada"), email: try EmailAddress("ada@example.org"))
            try await stores.insert(user)
            let today = CalendarDay(instant: testStart, in: .gmt)
            let over = Absence(first: today.adding(days: -9), last: today.adding(days: -2))
            // In the westernmost time zone it may still be yesterday.
            let lasting = Absence(first: today.adding(days: -9), last: today)
            try await stores.replaceAbsences(of: user.id, by: [over, lasting])
            try await buildWorker(environment(stores), mode: .once(at: nil)).run()
            #expect(try await stores.absences(of: user.id) == [lasting])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A single run with an instant uses that time`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            let end = testStart + 7 * 86_400
            let key = try await startSprint(stores, team: "later", end: end)
            try await buildWorker(environment(stores), mode: .once(at: end + 60)).run()
            #expect(try await stores.sprint(key)?.state.isClosed == false, "not without being told to")
            try await buildWorker(environment(stores), mode: .once(at: end - 1, closesSprints: true)).run()
            #expect(try await stores.sprint(key)?.state.isClosed == false)
            for _ in 0..<2 {
                try await buildWorker(environment(stores), mode: .once(at: end + 180, closesSprints: true)).run()
                #expect(try await stores.sprint(key)?.state.isClosed == true)
            }
        }
    }

    /// SQLite, since the test sets the clock, and MongoDB has its own.
    @Test func `After weeks without a worker, nothing is closed or deleted until the time is confirmed`() async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            let key = try await startSprint(stores, team: "over", end: testStart - 10 * 86_400)
            let user = User(name: try UserName("Ada"), email: try EmailAddress("ada@example.org"))
            try await stores.insert(user)
            let today = CalendarDay(instant: testStart, in: .gmt)
            let over = Absence(first: today.adding(days: -9), last: today.adding(days: -2))
            try await stores.replaceAbsences(of: user.id, by: [over])
            #expect(try await stores.system.recordTime(testStart - 21 * 86_400, after: nil))
            // Not of the schedule. Its payload cannot be read.
            let other = Job(kind: MailJobs.resultsKind, runAt: testStart)
            _ = try await stores.jobs.enqueue(other)
            var worker = try environment(stores)
            worker.checksClock = true
            try await buildWorker(worker, mode: .once(at: nil)).run()
            #expect(try await stores.sprint(key)?.state.isClosed == false)
            #expect(try await stores.absences(of: user.id) == [over])
            let jobs = try await stores.jobs.list(state: nil, limit: 100)
            #expect(jobs.map(\.id) == [other.id] && jobs[0].state == .ready && jobs[0].attempts == 0)

            let check = ClockCheck(stores: stores, ownID: nil, clock: worker.clock, logger: .silent)
            #expect(try await check.confirm().newest == testStart - 21 * 86_400)
            try await buildWorker(worker, mode: .once(at: nil)).run()
            #expect(try await stores.sprint(key)?.state.isClosed == true)
            #expect(try await stores.absences(of: user.id).isEmpty)
            #expect(try await stores.jobs.find(id: other.id)?.state == .dead)
        }
    }

    /// SQLite, since the test sets the clock, and MongoDB has its own.
    @Test func `A daily run that starts a little later than the day before does its work`() async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            let key = try await startSprint(stores, team: "over", end: testStart)
            #expect(try await stores.system.recordTime(testStart - 86_401, after: nil))
            var worker = try environment(stores)
            worker.checksClock = true
            try await buildWorker(worker, mode: .once(at: nil)).run()
            #expect(try await stores.sprint(key)?.state.isClosed == true)
            #expect(try await stores.system.newestTime() == testStart)
        }
    }

    /// The clock was 40 days ahead when the attempt began, and is right again when the job looks at it.
    @Test func `A job that began with a wrong time closes nothing`() async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            let key = try await startSprint(stores, team: "open", end: testStart + 10 * 86_400)
            let check = ClockCheck(
                stores: stores, ownID: nil, clock: WallClock { testStart }, logger: .silent)
            let handler = CloseSprints(
                store: stores.rows, closing: SprintClosing(stores: stores, secret: TestTeam.secret),
                timing: .checked(check))
            let job = Job(kind: CloseSprints.kind, runAt: testStart)
            try await handler.run(JobContext(job: job, now: testStart + 40 * 86_400))
            #expect(try await stores.sprint(key)?.state.isClosed == false)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `More sprints than a page are all closed`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            for number in 0..<(CloseSprints.pageSize + 5) {
                _ = try await startSprint(stores, team: "team \(number)", end: testStart - Double(number))
            }
            let handler = CloseSprints(
                store: stores.rows, closing: SprintClosing(stores: stores, secret: TestTeam.secret),
                timing: .trusted)
            let context = JobContext(job: Job(kind: CloseSprints.kind, runAt: testStart), now: testStart)
            try await handler.run(context)
            #expect(try await stores.read { try $0.unfinishedSprints(of: nil, at: testStart, limit: 1) }.isEmpty)
            try await handler.run(context)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Done jobs are removed after their retention, and others kept`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            let worker = try environment(stores)
            try await buildWorker(worker, mode: .once(at: testStart)).run()
            let before = try await stores.jobs.list(state: .done, limit: 100)
            #expect(Set(before.map(\.kind)) == Set(Schedule.worker.entries.map(\.kind)))
            let later = testStart + DeleteDoneJobs.retention + 86_400
            try await buildWorker(worker, mode: .once(at: later)).run()
            let after = try await stores.jobs.list(state: .done, limit: 100)
            #expect(Set(after.map(\.id)).isDisjoint(with: before.map(\.id)))
            #expect(after.count == before.count)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A worker that runs for ever stops when told`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            let worker = buildWorker(try environment(stores), mode: .forever)
            async let run: Void = worker.run()
            await worker.triggerGracefulShutdown()
            try await run
        }
    }

    @Test func `The schedule names no kind twice`() {
        let kinds = Schedule.worker.entries.map(\.kind)
        #expect(Set(kinds).count == kinds.count)
    }

    @Test func `The command line says how long to work`() throws {
        #expect(try WorkerCommand.parse([]).mode == .forever)
        #expect(try WorkerCommand.parse(["--once"]).mode == .once(at: nil))
        #expect(
            try WorkerCommand.parse(["--once", "--now", "2026-11-20T10:00:00Z"]).mode == .once(at: testStart))
        #expect(
            try WorkerCommand.parse(["--once", "--now", "2026-11-20T10:00:00Z", "--close-sprints"]).mode
                == .once(at: testStart, closesSprints: true))
        #expect(throws: (any Error).self) { try WorkerCommand.parse(["--once", "--close-sprints"]) }
        #expect(throws: (any Error).self) { try WorkerCommand.parse(["--now", "2026-11-20T10:00:00Z"]) }
        #expect(throws: (any Error).self) { try WorkerCommand.parse(["--once", "--now", "tomorrow"]) }
    }
}

/// For workers that have no mail to send.
private struct NoMail: MailDriver {
    func send(_ message: MailMessage) async throws {
        Issue.record("a mail was sent")
    }
}
