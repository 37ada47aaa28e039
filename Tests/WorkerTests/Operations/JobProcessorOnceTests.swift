import Domain
import Foundation
import Ports
import Services
import Storage
import TestSupport
import Testing

/// `runDueOnce`: the outcome of a job.
@Suite struct JobProcessorOnceTests {
    private let clock = ManualClock(start: testStart)

    private struct Leaky: Error {
        let address = "anna@example.org"
    }

    @Test(arguments: StoreUnderTest.all)
    func `A job runs once, however many processors look`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            for _ in 0..<20 { _ = try await stores.jobs.enqueueTest() }
            let events = Events()
            let handler = TestHandler { events.add("\($0.job.id)") }
            let one = JobProcessor(stores, clock: clock, handlers: handler)
            let other = JobProcessor(stores, clock: clock, handlers: handler)
            async let first = one.runDueOnce(at: testStart)
            async let second = other.runDueOnce(at: testStart)
            let attempts = try await first + second
            #expect(attempts == 20)
            #expect(Set(events.all).count == 20)
            #expect(events.all.count == 20)
            let done = try await stores.jobs.list(state: .done, limit: 100)
            #expect(done.count == 20)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A job that is not due waits`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            let id = try await stores.jobs.enqueueTest(runAt: testStart + 60)
            let processor = JobProcessor(stores, clock: clock, handlers: TestHandler { _ in })
            #expect(try await processor.runDueOnce(at: testStart + 59) == 0)
            #expect(try await processor.runDueOnce(at: testStart + 60) == 1)
            #expect(try await stores.jobs.find(id: id)?.state == .done)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A job a handler enqueues for now is done in the same run`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            _ = try await stores.jobs.enqueueTest()
            let handler = TestHandler { context in
                _ = try await stores.jobs.enqueue(Job(kind: "test", dedupeKey: "second", runAt: context.now))
            }
            let processor = JobProcessor(stores, clock: clock, handlers: handler)
            #expect(try await processor.runDueOnce(at: testStart) == 2)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Another worker takes over when a dead one's lease expires`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            let id = try await stores.jobs.enqueueTest()
            _ = try await stores.jobs.lease(kinds: ["test"], owner: "dead", at: testStart, until: testStart + 30)
            let processor = JobProcessor(stores, clock: clock, handlers: TestHandler { _ in })
            #expect(try await processor.runDueOnce(at: testStart + 29) == 0)
            #expect(try await processor.runDueOnce(at: testStart + 30) == 1)
            let job = try await stores.jobs.find(id: id)
            #expect(job?.state == .done)
            #expect(job?.attempts == 2)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A job that kills its workers is given up`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            let id = try await stores.jobs.enqueueTest()
            for attempt in 0..<3 {
                let now = testStart + Double(attempt) * 30
                _ = try await stores.jobs.lease(kinds: ["test"], owner: "dead", at: now, until: now + 30)
            }
            let events = Events()
            let processor = JobProcessor(stores, clock: clock, handlers: TestHandler { _ in events.add("ran") })
            _ = try await processor.runDueOnce(at: testStart + 90)
            let job = try await stores.jobs.find(id: id)
            #expect(job?.state == .dead)
            #expect(job?.lastError == JobError.abandoned.message)
            #expect(events.all.isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A failed job is tried again after its backoff and dies after the last attempt`(
        store: StoreUnderTest
    ) async throws {
        try await store.withStores { stores in
            let id = try await stores.jobs.enqueueTest()
            let processor = JobProcessor(stores, clock: clock, handlers: TestHandler { _ in throw Leaky() })
            // Half of 5 s, then half of 10 s.
            for (attempt, wait) in [(1, 2.5), (2, 5.0)] {
                let now = try #require(try await stores.jobs.find(id: id)).runAt
                #expect(try await processor.runDueOnce(at: now) == 1)
                let job = try #require(try await stores.jobs.find(id: id))
                #expect(job.state == .ready)
                #expect(job.attempts == attempt)
                #expect(abs(job.runAt.timeIntervalSince(now) - wait) < 0.01)
            }
            let now = try #require(try await stores.jobs.find(id: id)).runAt
            #expect(try await processor.runDueOnce(at: now) == 1)
            let job = try #require(try await stores.jobs.find(id: id))
            #expect(job.state == .dead)
            #expect(job.lastError?.contains("Leaky") == true)
            #expect(job.lastError?.contains("anna") == false)

            #expect(try await stores.jobs.restart(id: id, runAt: now))
            #expect(try await processor.runDueOnce(at: now) == 1)
            #expect(try await stores.jobs.find(id: id)?.state == .ready)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A job refused permanently dies at once`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            let id = try await stores.jobs.enqueueTest()
            let handler = TestHandler { _ in throw JobError.rejected("no such template") }
            _ = try await JobProcessor(stores, clock: clock, handlers: handler).runDueOnce(at: testStart)
            let job = try await stores.jobs.find(id: id)
            #expect(job?.state == .dead)
            #expect(job?.lastError == "refused: no such template")
            #expect(job?.attempts == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A job ends when its handler's patience does, however many attempts are left`(
        store: StoreUnderTest
    ) async throws {
        try await store.withStores { stores in
            let id = try await stores.jobs.enqueueTest()
            var handler = TestHandler(maximumAttempts: 1_000) { _ in throw JobError.unavailable("mail") }
            handler.patience = .seconds(60)
            let processor = JobProcessor(stores, clock: clock, handlers: handler)
            _ = try await processor.runDueOnce(at: testStart + 59)
            // The last attempt is at the end.
            let last = try #require(try await stores.jobs.find(id: id))
            #expect(last.state == .ready && last.runAt == testStart + 60 && last.since == testStart)
            _ = try await processor.runDueOnce(at: last.runAt)
            #expect(try await stores.jobs.find(id: id)?.state == .dead)
            // A restart starts anew.
            #expect(try await stores.jobs.restart(id: id, runAt: testStart + 600))
            _ = try await processor.runDueOnce(at: testStart + 600)
            #expect(try await stores.jobs.find(id: id)?.state == .ready)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A wrong setting gets a day`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            let id = try await stores.jobs.enqueueTest()
            var handler = TestHandler(maximumAttempts: 1_000) { _ in throw JobError.misconfigured("no such key") }
            handler.patience = .seconds(60)
            let processor = JobProcessor(stores, clock: clock, handlers: handler)
            for (seconds, state) in [(0.0, Job.State.ready), (86_399, .ready), (86_400, .dead)] {
                _ = try await processor.runDueOnce(at: testStart + seconds)
                let job = try #require(try await stores.jobs.find(id: id))
                #expect(job.state == state && job.lastError == "settings: no such key")
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Retry-After is respected`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            let id = try await stores.jobs.enqueueTest()
            let handler = TestHandler { _ in throw JobError.unavailable("mail", retryAfter: .seconds(600)) }
            _ = try await JobProcessor(stores, clock: clock, handlers: handler).runDueOnce(at: testStart)
            let job = try #require(try await stores.jobs.find(id: id))
            #expect(job.state == .ready)
            #expect(abs(job.runAt.timeIntervalSince(testStart) - 602.5) < 0.01)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Two workers do an occasion of the schedule once`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            let events = Events()
            let handler = TestHandler { events.add($0.job.dedupeKey ?? "") }
            let schedule = Schedule([.init(kind: "test", every: .minute)])
            let one = JobProcessor(stores, clock: clock, schedule: schedule, handlers: handler)
            let other = JobProcessor(stores, clock: clock, schedule: schedule, handlers: handler)
            for seconds in [0.0, 20, 59, 60, 61] {
                async let first = one.runDueOnce(at: testStart + seconds)
                async let second = other.runDueOnce(at: testStart + seconds)
                _ = try await (first, second)
            }
            #expect(events.all == ["test|2026-11-20T10:00Z", "test|2026-11-20T10:01Z"])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Attempts are counted by kind and outcome`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            for _ in 0..<3 { _ = try await stores.jobs.enqueueTest() }
            let events = Events()
            let handler = TestHandler { _ in
                events.add("ran")
                if events.all.count > 2 { throw JobError.rejected("enough") }
            }
            let metrics = PrometheusMetrics(process: { [] })
            var options = JobProcessor.Options()
            options.parallelism = 1
            let processor = JobProcessor(
                jobs: stores.jobs, handlers: [handler], options: options, clock: clock.wall, timer: clock,
                metrics: metrics, logger: .silent)
            _ = try await processor.runDueOnce(at: testStart)
            let text = metrics.render()
            #expect(text.contains(#"jobs_total{kind="test",outcome="done"} 2"#))
            #expect(text.contains(#"jobs_total{kind="test",outcome="dead"} 1"#))
            #expect(text.contains(#"job_duration_seconds_count{kind="test"} 3"#))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `While the clock is doubtful, scheduled jobs wait, and others run`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            let id = try await stores.jobs.enqueueTest()
            _ = try await stores.jobs.enqueue(Job(kind: "other", runAt: testStart))
            let events = Events()
            var other = TestHandler { _ in events.add("other") }
            other.kind = "other"
            func processor(_ timing: SprintTiming) -> JobProcessor {
                JobProcessor(
                    jobs: stores.jobs, handlers: [TestHandler { _ in events.add("test") }, other],
                    schedule: Schedule([Schedule.Entry(kind: "test", every: .day)]), timing: timing, clock: clock.wall,
                    timer: clock, random: { 0.5 }, logger: .silent)
            }
            #expect(try await processor(.frozen).runDueOnce(at: testStart) == 1)
            #expect(events.all == ["other"])
            #expect(try await stores.jobs.find(id: id)?.attempts == 0)
            // That of the day, too.
            #expect(try await processor(.trusted).runDueOnce(at: testStart) == 2)
            #expect(events.all == ["other", "test", "test"])
        }
    }

    /// SQLite, since the test sets the clock, and MongoDB has its own.
    @Test func `A scheduled job that is leased after the clock was set goes back`() async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            let wall = SettableClock(testStart)
            let check = ClockCheck(stores: stores, ownID: nil, clock: wall.wall, logger: .silent)
            // Due before the occasion of the hour.
            _ = try await stores.jobs.enqueue(Job(kind: "setting", runAt: testStart - 7_200))
            var setting = TestHandler { _ in wall.advance(by: 40 * 86_400) }
            setting.kind = "setting"
            let events = Events()
            var options = JobProcessor.Options()
            options.parallelism = 1
            let processor = JobProcessor(
                jobs: stores.jobs, handlers: [setting, TestHandler { _ in events.add("ran") }],
                schedule: Schedule([Schedule.Entry(kind: "test", every: .hour)]), timing: .checked(check),
                options: options, clock: wall.wall, timer: clock, random: { 0.5 }, logger: .silent)
            #expect(try await processor.runDueOnce(at: testStart) == 1)
            let waiting = try #require(try await stores.jobs.list(state: .ready, limit: 10).first)
            #expect(waiting.kind == "test" && waiting.attempts == 0 && waiting.runAt <= testStart)
            #expect(events.all.isEmpty)
            wall.advance(by: -40 * 86_400)
            #expect(try await processor.runDueOnce(at: testStart) == 1)
            #expect(events.all == ["ran"])
        }
    }

    @Test(arguments: [true, false])
    func `An attempt has a span, unless its duration must not be known`(isTimed: Bool) async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            _ = try await stores.jobs.enqueueTest()
            var handler = TestHandler { [clock] _ in
                clock.advance(by: .seconds(2))
                throw JobError.rejected("enough")
            }
            handler.isTimed = isTimed
            let spans = SpanRecorder(ratio: 1, clock: clock.wall, metrics: PrometheusMetrics(process: { [] }))
            let processor = JobProcessor(
                jobs: stores.jobs, handlers: [handler], clock: clock.wall, timer: clock, spans: spans, logger: .silent)
            #expect(try await processor.runDueOnce(at: testStart) == 1)
            let recorded = spans.take(10)
            #expect(recorded.count == (isTimed ? 1 : 0))
            guard let span = recorded.first else { return }
            #expect(span.name == "test" && span.kind == .internal && span.parentID == nil && span.hasFailed)
            #expect(span.attributes == ["job.kind": .text("test"), "job.outcome": .text("dead")])
            #expect(span.start == testStart && span.end == testStart + 2)
        }
    }
}
