import Foundation
import Ports
import Storage

/// A store whose database shows the test's time, if it has a clock of its own: like a database on the same machine.
struct SystemStoreWithClock: SystemStore {
    let base: any SystemStore
    let clock: WallClock

    func time() async throws -> Date? { try await base.time() == nil ? nil : clock.now }

    var kind: String { base.kind }
    var ballotPartitions: Int { base.ballotPartitions }
    var isWritable: Bool { base.isWritable }
    func version() async throws -> String { try await base.version() }
    func newestTime() async throws -> Date? { try await base.newestTime() }
    func recordTime(_ time: Date, after previous: Date?) async throws -> Bool {
        try await base.recordTime(time, after: previous)
    }
    func exists() async throws -> Bool { try await base.exists() }
    func migrate() async throws -> [String] { try await base.migrate() }
    func requireKnownSchema() async throws { try await base.requireKnownSchema() }
    func migrations() async throws -> [(name: String, isApplied: Bool)] { try await base.migrations() }
    func check() async throws -> [ReceiptMismatch] { try await base.check() }
    func acceptMismatches() async throws { try await base.acceptMismatches() }
    func backUp(to path: String) async throws { try await base.backUp(to: path) }
    func ping() async throws { try await base.ping() }
    func fingerprint(named name: String, orStore fingerprint: [UInt8]) async throws -> [UInt8] {
        try await base.fingerprint(named: name, orStore: fingerprint)
    }
    func replaceFingerprint(named name: String, by fingerprint: [UInt8]) async throws {
        try await base.replaceFingerprint(named: name, by: fingerprint)
    }
    func fingerprints() async throws -> [String: [UInt8]] { try await base.fingerprints() }
    func close() async throws { try await base.close() }
}
