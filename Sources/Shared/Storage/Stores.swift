package import Foundation

/// The store of one installation: its rows, and the parts with a protocol of their own. `open` in `StoreLocation`
/// creates it.
package struct Stores: Sendable {
    /// Everything but what the other fields hold.
    package var rows: any Store
    /// Ballots.
    package let ballots: any BallotStore
    /// Keys of ballot papers.
    package let ballotKeys: any BallotKeyStore
    /// Jobs.
    package let jobs: any JobStore
    /// The store's schema, state and backups.
    package var system: any SystemStore
}

extension Stores: Store {
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreRows) throws -> Value
    ) async throws -> Value {
        try await rows.read(body)
    }

    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreWrites) throws -> Value
    ) async throws -> Value {
        try await rows.write(body)
    }

    package func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        try await rows.transaction(body)
    }
}

/// The store as a whole: its schema, state and backups.
package protocol SystemStore: Sendable {
    /// `SQLite` or `MongoDB`, for display.
    var kind: String { get }

    /// The version of the database itself, such as `3.45.1`; one cheap query.
    func version() async throws -> String

    /// The time by the database's own clock; `nil` if it uses this machine's clock.
    func time() async throws -> Date?

    /// The newest time that this installation has accepted as right, in whole seconds; `nil` before the first.
    func newestTime() async throws -> Date?

    /// Records `time`, rounded down to whole seconds, as the newest one, unless the newest one is no longer `previous`.
    /// - Returns: false if another process was faster; then nothing changed.
    func recordTime(_ time: Date, after previous: Date?) async throws -> Bool

    /// How many committers may cast ballots concurrently: one for SQLite, which has one writer, several for MongoDB.
    var ballotPartitions: Int { get }

    /// Whether a program of ours has created the store, or begun to restore it. A new file or database is none.
    func exists() async throws -> Bool

    /// Migrates schema and indexes to the version this program needs; does nothing if they are up to date. Several
    /// processes may call it concurrently.
    /// - Returns: the names of the migrations it ran, in order.
    /// - Throws: an error with an operator's message if a newer program has migrated the store, or the store cannot be
    ///   used (a standalone MongoDB server).
    func migrate() async throws -> [String]

    /// Rejects a store that `migrate` would reject, and changes nothing.
    /// - Throws: as `migrate`; also if a restore has not finished.
    func requireKnownSchema() async throws

    /// The names of the migrations this program knows, in order, and whether each has been applied.
    func migrations() async throws -> [(name: String, isApplied: Bool)]

    /// Checks the store's structure, and that each running sprint has equal numbers of receipts and ballots.
    /// - Returns: the sprints whose numbers differ.
    /// - Throws: `DamagedStore` if the structure is broken.
    func check() async throws -> [ReceiptMismatch]

    /// Accepts the store in its present state: makes the number of receipts of each running sprint equal to its
    /// ballots.
    func acceptMismatches() async throws

    /// Writes a consistent copy of everything to a file while all processes keep running. The file contains neither
    /// `BALLOT_SECRET` nor the order in which anything was stored.
    /// - Throws: an error with an operator's message; then no file is left.
    func backUp(to path: String) async throws

    /// Whether the store takes writes, as far as this process knows: false since a write failed for want of room or
    /// rights, or the store did not answer. True again after a `ping` that returned.
    var isWritable: Bool { get }

    /// Returns if the store can be read and written; one cheap round trip. After a failed write it stores and removes
    /// something, so that it fails until writes work again.
    /// - Throws: `StorageError.unavailable`.
    func ping() async throws

    /// Atomically stores `fingerprint` under `name` if there is none yet.
    /// - Returns: the fingerprint now stored.
    func fingerprint(named name: String, orStore fingerprint: [UInt8]) async throws -> [UInt8]

    /// Stores `fingerprint` under `name`, in place of the one that is stored.
    func replaceFingerprint(named name: String, by fingerprint: [UInt8]) async throws

    /// The fingerprints now stored, by name.
    func fingerprints() async throws -> [String: [UInt8]]

    /// Closes files and connections. Later calls fail.
    func close() async throws
}
