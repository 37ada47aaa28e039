import Domain
import Foundation
import Logging
import Ports
import Product
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Services

/// Heartbeats of processes.
@Suite struct ProcessHeartbeatTests {
    /// A process with chosen readings.
    private final class Readings: Sendable {
        let cpu = Mutex(0.0)
        let memory = Mutex(50.0 * 1_048_576)

        var metrics: [ProcessMetric] {
            [
                ProcessMetric(
                    name: "process_cpu_seconds_total", type: .counter, help: "", value: cpu.withLock { $0 }),
                ProcessMetric(
                    name: "process_resident_memory_bytes", type: .gauge, help: "", value: memory.withLock { $0 }),
            ]
        }
    }

    @Test func `Readings are those since the previous one and come in steps`() throws {
        let readings = Readings()
        let activity = ServerActivity()
        let meter = ProcessMeter(activity: activity) { readings.metrics }
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        #expect(meter.read(at: start).requests == RequestRates(answered: 0, refused: 0, failed: 0))
        readings.cpu.withLock { $0 = 3 }
        for _ in 0..<40 { activity.countAnswer(status: 200) }
        for _ in 0..<15 { activity.countAnswer(status: 404) }
        activity.countAnswer(status: 500)
        activity.countConnections(37)
        let load = meter.read(at: start + 15)
        #expect(load.cpu == 0.2)
        #expect(load.memory == 52 * 1_048_576)
        #expect(load.connections == 30)
        #expect(load.requests == RequestRates(answered: 2, refused: 1, failed: 0))
    }

    @Test func `One visit moves no reading`() {
        let idle = ProcessLoad(
            memory: 52 * 1_048_576, cpu: 0.001, connections: 0,
            requests: RequestRates(answered: 0, refused: 0, failed: 0))
        // Six connections, a login's bcrypt, and the files of a page.
        let visited = ProcessLoad(
            memory: 53 * 1_048_576, cpu: 0.02, connections: 6,
            requests: RequestRates(
                from: .init(), to: .init(answered: 14, refused: 0, failed: 0), seconds: 15))
        #expect(idle == visited)
    }

    @Test func `The history covers an hour`() {
        let history = LoadHistory()
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        for number in 0..<500 {
            history.add(.init(instant: start + Double(number) * 15, load: ProcessLoad(memory: 0, cpu: 0)))
        }
        let samples = history.samples(at: start + 499 * 15)
        #expect(samples.count == 241)
        #expect(samples.last?.instant == start + 499 * 15)
        #expect(history.samples(at: start + 499 * 15 + 3_600).count == 1)
    }

    @Test func `A process records that it is alive`() async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            let heartbeat = ProcessHeartbeat(
                .worker, store: stores.rows, clock: .system, metrics: { [] }, logger: Logger(label: "test"))
            #expect(await heartbeat.beat(afterOutage: false))
            let record = try #require(try await stores.processes().first)
            #expect(record.id == heartbeat.id && record.kind == .worker && !record.host.isEmpty)
            #expect(record.version == ProductVersion.current)
            #expect(record.isAlive(at: record.seen + 60) && !record.isAlive(at: record.seen + 61))
            #expect(heartbeat.history.samples(at: Date()).count == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A process that dies at each start leaves only a lifetime's records`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let clock = SettableClock(Date(timeIntervalSince1970: 1_800_000_000))
            let elsewhere = ProcessRecord(
                id: .random(), kind: .api, host: "elsewhere", version: "1", started: clock.now, seen: clock.now,
                load: ProcessLoad(memory: 0, cpu: 0))
            try await stores.record(elsewhere)
            for _ in 0..<30 {
                clock.advance(by: 10)
                let heartbeat = ProcessHeartbeat(
                    .api, store: stores.rows, clock: clock.wall, metrics: { [] }, logger: Logger(label: "test"))
                #expect(await heartbeat.beat(afterOutage: false, isFirst: true))
            }
            // Seven of the last minute.
            #expect(try await stores.processes().count == 8)
            clock.advance(by: ProcessRecord.memory)
            let worker = ProcessHeartbeat(
                .worker, store: stores.rows, clock: clock.wall, metrics: { [] }, logger: Logger(label: "test"))
            #expect(await worker.beat(afterOutage: false, isFirst: true))
            let left = try await stores.processes()
            #expect(!left.contains(elsewhere) && left.contains { $0.id == worker.id })
        }
    }

    @Test func `An unavailable store is reported once per outage`() async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            let store = CountingStore(stores.rows)
            let log = CapturedLog()
            let heartbeat = ProcessHeartbeat(
                .api, store: store, clock: .system, metrics: { [] }, logger: log.logger)
            var isAway = false
            for isDown in [true, true, true, false, false, true, true] {
                store.fail(with: isDown ? .unavailable : nil)
                isAway = await !heartbeat.beat(afterOutage: isAway)
            }
            #expect(
                log.lines.map { $0.prefix { $0 != "=" } } == [
                    "warning: No sign of life reaches the store error", "notice: Signs of life reach the store again",
                    "warning: No sign of life reaches the store error",
                ])
            // The charts have continued.
            #expect(heartbeat.history.samples(at: Date()).count == 7)
        }
    }
}
