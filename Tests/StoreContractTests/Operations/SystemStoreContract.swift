import Foundation
import Storage
import TestSupport
import Testing

@Suite struct SystemStoreContract {
    @Test(arguments: StoreUnderTest.all)
    func `Migrating again changes nothing`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            #expect(try await stores.system.exists())
            try await stores.system.requireKnownSchema()
            #expect(try await stores.system.migrate().isEmpty)
            let migrations = try await stores.system.migrations()
            #expect(!migrations.isEmpty)
            #expect(migrations.allSatisfy { $0.isApplied })
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of many fingerprints, the first is kept`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let kept = try await concurrently(20) { number in
                try await stores.system.fingerprint(named: "jwt", orStore: [UInt8(number)])
            }
            #expect(Set(kept).count == 1)
            #expect(try await stores.system.fingerprint(named: "jwt", orStore: [99]) == kept[0])
            #expect(try await stores.system.fingerprint(named: "ballot", orStore: [99]) == [99])
            #expect(try await stores.system.fingerprints() == ["jwt": kept[0], "ballot": [99]])
            _ = try await concurrently(5) { _ in
                try await stores.system.replaceFingerprint(named: "rule", by: [1])
            }
            try await stores.system.replaceFingerprint(named: "ballot", by: [100])
            let all = ["jwt": kept[0], "ballot": [100], "rule": [1]]
            #expect(try await stores.system.fingerprints() == all)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The newest time is replaced only by who has read it`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            #expect(try await stores.system.newestTime() == nil)
            let first = Date(timeIntervalSince1970: 1_800_000_000)
            #expect(try await !stores.system.recordTime(first, after: first - 1))
            let recorded = try await concurrently(10) { _ in
                try await stores.system.recordTime(first + 0.7, after: nil)
            }
            #expect(recorded.count { $0 } == 1)
            #expect(try await stores.system.newestTime() == first)
            #expect(try await !stores.system.recordTime(first + 9, after: first - 1))
            #expect(try await stores.system.recordTime(first - 5, after: first))
            #expect(try await stores.system.newestTime() == first - 5)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A store answers until it is closed`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            try await stores.system.ping()
            #expect(stores.system.isWritable)
            #expect(stores.system.ballotPartitions >= 1)
            #expect(["SQLite", "MongoDB"].contains(stores.system.kind))
        }
    }
}
