import Domain
import Foundation
import Storage
import TestSupport
import Testing

/// The contract of both stores for process records, and for their own version.
@Suite struct ProcessStoreContract {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func record(
        _ kind: ProcessRecord.Kind, seen: TimeInterval, id: ProcessRecord.ID = .random(), host: String = "one"
    ) -> ProcessRecord {
        let rates = RequestRates(answered: 3, refused: 2, failed: 1)
        return ProcessRecord(
            id: id, kind: kind, host: host, version: "1.0.0", started: Self.now - 100, seen: Self.now + seen,
            load: ProcessLoad(
                memory: 60e6, cpu: 0.35, connections: kind == .api ? 40 : nil, requests: kind == .api ? rates : nil))
    }

    private func list(
        _ stores: Stores, since instant: Date, aliveSince: Date = now, maximumGone: Int = 100
    ) async throws -> [ProcessRecord] {
        try await stores.read { try $0.processes(since: instant, aliveSince: aliveSince, maximumGone: maximumGone) }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A process has one record, its latest`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let id = ProcessRecord.ID.random()
            for seen in [0.0, 15, 30] { try await stores.record(record(.api, seen: seen, id: id)) }
            #expect(try await list(stores, since: Self.now) == [record(.api, seen: 30, id: id)])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Lists are ordered and omit removed rows`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let records = [
                record(.worker, seen: 0), record(.api, seen: 0, host: "two"), record(.api, seen: -5),
                record(.api, seen: -6),
            ]
            for record in records { try await stores.record(record) }
            #expect(try await list(stores, since: Self.now - 5) == [records[2], records[1], records[0]])
            try await stores.write { try $0.deleteProcesses(unseenSince: Self.now - 5) }
            #expect(try await list(stores, since: .distantPast).count == 3)
            try await stores.write { try $0.deleteProcess(records[0].id) }
            try await stores.write { try $0.deleteProcess(.random()) }
            #expect(try await list(stores, since: .distantPast).map(\.kind) == [.api, .api])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `All live processes are listed, and of the others the latest`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let alive = (0..<4).map { record(.api, seen: Double($0), host: "host \($0)") }
            let gone = (1...6).map { record(.worker, seen: -Double($0), host: "host \($0)") }
            for record in alive + gone { try await stores.record(record) }
            let listed = try await list(stores, since: Self.now - 5, maximumGone: 3)
            #expect(listed == alive + gone.prefix(3))
            #expect(try await list(stores, since: Self.now - 5) == alive + gone.prefix(5))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Only unseen processes of one kind and host are removed`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let kept = [
                record(.api, seen: 0), record(.api, seen: -9, host: "two"), record(.worker, seen: -9),
            ]
            for record in kept + [record(.api, seen: -9), record(.api, seen: -1)] {
                try await stores.record(record)
            }
            try await stores.write { try $0.deleteProcesses(unseenSince: Self.now, kind: .api, host: "one") }
            #expect(try await list(stores, since: .distantPast) == kept)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A store says its version`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let version = try await stores.system.version()
            #expect(version.firstMatch(of: /^\d+\.\d+\.\d+/) != nil, "\(version)")
        }
    }
}
