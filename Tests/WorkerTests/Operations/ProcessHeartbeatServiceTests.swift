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
        let (events, continuation) = AsyncStream<String>.makeStream()
        let heartbeat = ProcessHeartbeat(
            .worker, store: ToldProcessStore(events: continuation), clock: .system, logger: Logger(label: "test"))
        let group = ServiceGroup(services: [heartbeat], logger: Logger(label: "test"))
        async let run: Void = group.run()
        var told = events.makeAsyncIterator()
        #expect(await told.next() == "note \(heartbeat.id)")
        await group.triggerGracefulShutdown()
        #expect(await told.next() == "delete \(heartbeat.id)")
        try await run
    }

    @Test(arguments: StoreUnderTest.all)
    func `Old records are removed`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            let now = testStart
            for age in [86_399.0, 86_401] {
                try await stores.processes.record(
                    ProcessRecord(
                        id: .random(), kind: .api, host: "one", version: "1", started: now - 100_000, seen: now - age,
                        load: ProcessLoad(memory: 0, cpu: 0)))
            }
            let today = ClientErrorGroup.day(at: now)
            for (message, days) in [("Alpha", 90), ("Beta", 91)] {
                let report = try ClientErrorReport(level: .error, app: .sdk, message: message)
                _ = try await stores.clientErrors.record(report, on: today.adding(days: -days), limit: 10)
            }
            let context = JobContext(job: Job(kind: DeleteStaleProcesses.kind, runAt: now), now: now)
            try await DeleteStaleProcesses(processes: stores.processes).run(context)
            try await DeleteOldClientErrors(errors: stores.clientErrors).run(context)
            #expect(try await stores.processes.listAll().count == 1)
            #expect(try await stores.clientErrors.list(isResolved: false, limit: 10).map(\.message) == ["Alpha"])
        }
    }
}

/// Reports each call.
private struct ToldProcessStore: ProcessStore {
    let events: AsyncStream<String>.Continuation

    func record(_ record: ProcessRecord) async throws { events.yield("note \(record.id)") }
    func list(since instant: Date, aliveSince: Date, maximumGone: Int) async throws -> [ProcessRecord] { [] }
    func delete(id: ProcessRecord.ID) async throws { events.yield("delete \(id)") }
    func deleteUnseen(since instant: Date) async throws {}
    func deleteUnseen(since instant: Date, kind: ProcessRecord.Kind, host: String) async throws {}
}
