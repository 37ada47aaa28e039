import Domain
import Foundation
import Logging
import Ports
import ServiceLifecycle
import Services
import Storage
import TestSupport
import Testing

@testable import Worker

/// Heartbeats from start to end, and the worker's handling of those of other processes.
@Suite struct ProcessHeartbeatServiceTests {
    @Test func `A process is listed at once and removes its record when it stops`() async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            let (writes, continuation) = AsyncStream<Void>.makeStream()
            let heartbeat = ProcessHeartbeat(
                .worker, store: SignallingStore(store: stores.rows, writes: continuation), clock: .system,
                logger: Logger(label: "test"))
            let group = ServiceGroup(services: [heartbeat], logger: Logger(label: "test"))
            async let run: Void = group.run()
            var written = writes.makeAsyncIterator()
            repeat { _ = await written.next() } while try await stores.processes().map(\.id) != [heartbeat.id]
            await group.triggerGracefulShutdown()
            repeat { _ = await written.next() } while try await !stores.processes().isEmpty
            try await run
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Old records are removed`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            let now = testStart
            for age in [86_399.0, 86_401] {
                try await stores.record(
                    ProcessRecord(
                        id: .random(), kind: .api, host: "one", version: "1", started: now - 100_000, seen: now - age,
                        load: ProcessLoad(memory: 0, cpu: 0)))
            }
            let today = ClientErrorGroup.day(at: now)
            for (message, days) in [("Alpha", 90), ("Beta", 91)] {
                let report = try ClientErrorReport(level: .error, app: .sdk, message: message)
                _ = try await stores.record(report, on: today.adding(days: -days), limit: 10)
            }
            let context = JobContext(job: Job(kind: DeleteStaleProcesses.kind, runAt: now), now: now)
            try await DeleteStaleProcesses(store: stores.rows).run(context)
            try await DeleteOldClientErrors(store: stores.rows).run(context)
            #expect(try await stores.processes().count == 1)
            #expect(try await stores.clientErrors(isResolved: false, limit: 10).map(\.message) == ["Alpha"])
        }
    }
}

/// A real store that reports each write.
private struct SignallingStore: Store {
    let store: any Store
    let writes: AsyncStream<Void>.Continuation

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreRows) throws -> Value
    ) async throws -> Value {
        try await store.read(body)
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreWrites) throws -> Value
    ) async throws -> Value {
        let value = try await store.write(body)
        writes.yield()
        return value
    }

    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        try await store.transaction(body)
    }
}
