import Domain
import Foundation
import Ports
import ServiceLifecycle
import Services
import Storage
import TestSupport
import Testing

/// `run`: the processor that works until it is stopped. While one job runs, four tasks sleep on the clock: the test's
/// handler, its deadline, its heartbeat, and the pause before the next look at the queue.
@Suite struct JobProcessorServiceTests {
    private let clock = ManualClock(start: testStart)
    private static let sleepersOfOneJob = 4

    /// Runs a processor in a service group, which shuts down gracefully after `body`.
    private func running(
        _ processor: JobProcessor, _ body: (ServiceGroup) async throws -> Void
    ) async throws {
        let group = ServiceGroup(configuration: .init(services: [.init(service: processor)], logger: .silent))
        async let run: Void = group.run()
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(group))
        } catch {
            result = .failure(error)
        }
        await group.triggerGracefulShutdown()
        try await run
        try result.get()
    }

    /// Records its start, then sleeps until it is cancelled.
    private func hangingHandler(_ events: Events, deadline: Duration = .seconds(300)) -> TestHandler {
        TestHandler(deadline: deadline) { [clock] _ in
            events.add("started")
            do {
                try await clock.sleep(for: .seconds(1_000_000))
            } catch {
                events.add("cancelled")
                throw error
            }
        }
    }

    /// Records its start, then waits for an event.
    private func waitingHandler(_ events: Events, until finish: Events) -> TestHandler {
        TestHandler { _ in
            events.add("started")
            _ = await finish.next()
        }
    }

    /// A service group uses it to log its services.
    @Test func `A processor is printed without its contents`() async throws {
        struct Outer {
            let processor: JobProcessor
        }
        try await StoreUnderTest.sqlite.withStores { stores in
            let processor = JobProcessor(stores, clock: clock, handlers: TestHandler { _ in })
            #expect("\(processor)" == "JobProcessor")
            #expect("\(Outer(processor: processor))" == "Outer(processor: JobProcessor)")
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A job enqueued while the processor runs is done at the next look`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            let events = Events()
            let processor = JobProcessor(stores, clock: clock, handlers: TestHandler { _ in events.add("ran") })
            try await running(processor) { _ in
                await clock.sleepers(atLeast: 1)
                _ = try await stores.jobs.enqueueTest()
                clock.advance(by: .seconds(1))
                #expect(await events.next() == "ran")
            }
            #expect(try await stores.jobs.list(state: .done, limit: 10).count == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A heartbeat keeps a long job leased`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            let id = try await stores.jobs.enqueueTest()
            let (events, finish) = (Events(), Events())
            let processor = JobProcessor(stores, clock: clock, handlers: waitingHandler(events, until: finish))
            try await running(processor) { _ in
                #expect(await events.next() == "started")
                for _ in 0..<6 {
                    // Deadline, heartbeat and pause.
                    await clock.sleepers(atLeast: 3)
                    clock.advance(by: .seconds(10))
                }
                await clock.sleepers(atLeast: 3)
                let job = try await stores.jobs.find(id: id)
                #expect(job?.leaseUntil == testStart + 90)
                let stolen = try await stores.jobs.lease(
                    kinds: ["test"], owner: "thief", at: clock.wall.now, until: clock.wall.now + 30)
                #expect(stolen == nil)
                finish.add("finish")
            }
            #expect(try await stores.jobs.find(id: id)?.state == .done)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A lost lease cancels the handler and leaves the job to its new owner`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            let id = try await stores.jobs.enqueueTest()
            let events = Events()
            let processor = JobProcessor(stores, clock: clock, handlers: hangingHandler(events))
            try await running(processor) { _ in
                #expect(await events.next() == "started")
                await clock.sleepers(atLeast: Self.sleepersOfOneJob)
                let later = testStart + 31
                let stolen = try await stores.jobs.lease(
                    kinds: ["test"], owner: "thief", at: later, until: later + 3_600)
                #expect(stolen?.id == id)
                clock.advance(by: .seconds(10))
                #expect(await events.next() == "cancelled")
            }
            let job = try #require(try await stores.jobs.find(id: id))
            #expect(job.state == .leased && job.leaseOwner == "thief")
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A handler that hangs is stopped at its deadline`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            let id = try await stores.jobs.enqueueTest()
            let events = Events()
            let processor = JobProcessor(
                stores, clock: clock, handlers: hangingHandler(events, deadline: .seconds(5)))
            try await running(processor) { _ in
                #expect(await events.next() == "started")
                await clock.sleepers(atLeast: Self.sleepersOfOneJob)
                clock.advance(by: .seconds(5))
                #expect(await events.next() == "cancelled")
            }
            let job = try await stores.jobs.find(id: id)
            #expect(job?.state == .ready)
            #expect(job?.attempts == 1)
            #expect(job?.lastError == "cut at its deadline of 5 s")
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A stop lets a running job finish`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            let id = try await stores.jobs.enqueueTest()
            let (events, finish) = (Events(), Events())
            let processor = JobProcessor(stores, clock: clock, handlers: waitingHandler(events, until: finish))
            try await running(processor) { group in
                #expect(await events.next() == "started")
                await group.triggerGracefulShutdown()
                // Deadline, heartbeat, pause, and now the grace.
                await clock.sleepers(atLeast: 4)
                let late = try await stores.jobs.enqueueTest()
                finish.add("finish")
                #expect(try await stores.jobs.find(id: late)?.state == .ready)
            }
            #expect(try await stores.jobs.find(id: id)?.state == .done)
            #expect(try await stores.jobs.list(state: .ready, limit: 10).count == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A stop gives back unfinished jobs after the grace period`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            let id = try await stores.jobs.enqueueTest()
            let events = Events()
            let processor = JobProcessor(stores, clock: clock, handlers: hangingHandler(events))
            try await running(processor) { group in
                #expect(await events.next() == "started")
                await clock.sleepers(atLeast: Self.sleepersOfOneJob)
                await group.triggerGracefulShutdown()
                await clock.sleepers(atLeast: Self.sleepersOfOneJob + 1)
                clock.advance(by: .seconds(15))
                #expect(await events.next() == "cancelled")
            }
            let job = try #require(try await stores.jobs.find(id: id))
            #expect(job.state == .ready && job.attempts == 0 && job.leaseOwner == nil && job.lastError == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A cancelled processor gives its jobs back`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            let id = try await stores.jobs.enqueueTest()
            let events = Events()
            let processor = JobProcessor(stores, clock: clock, handlers: hangingHandler(events))
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await processor.run() }
                #expect(await events.next() == "started")
                group.cancelAll()
            }
            let job = try #require(try await stores.jobs.find(id: id))
            #expect(job.state == .ready && job.attempts == 0)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The queue is counted for its gauges`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            _ = try await stores.jobs.enqueue(Job(kind: "nobody's", runAt: testStart - 60))
            _ = try await stores.jobs.enqueueTest(runAt: testStart + 3_600)
            let metrics = PrometheusMetrics(process: { [] })
            let processor = JobProcessor(
                stores, clock: clock, metrics: metrics, handlers: TestHandler { _ in })
            try await running(processor) { _ in await clock.sleepers(atLeast: 1) }
            let text = metrics.render()
            #expect(text.contains("\njobs_ready 2\n"))
            #expect(text.contains("jobs_dead 0\n"))
            #expect(text.contains("\njobs_oldest_due_seconds 60\n"))
        }
    }

    @Test func `An unavailable store ends nothing and is reported once`() async throws {
        let log = CapturedLog()
        try await StoreUnderTest.sqlite.withStores { stores in
            // A closed store behaves like one that is unavailable.
            try await stores.system.close()
            let processor = JobProcessor(
                jobs: stores.jobs, handlers: [TestHandler { _ in }], clock: clock.wall, timer: clock,
                random: { 0.5 }, logger: log.logger)
            try await running(processor) { _ in
                for _ in 0..<5 {
                    await clock.sleepers(atLeast: 1)
                    clock.advance(by: .seconds(30))
                }
                await clock.sleepers(atLeast: 1)
            }
        }
        #expect(log.lines.count { $0.hasPrefix("error: Jobs cannot be read; retrying") } == 1)
    }
}
