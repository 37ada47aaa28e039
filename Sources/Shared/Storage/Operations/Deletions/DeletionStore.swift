package import Domain

/// Remembers what was deleted at a person's request. A row is added in the transaction that deletes
/// (`DeletionRows.insert`). Every call may also throw `StorageError.unavailable`.
package protocol DeletionStore: Sendable {
    /// All deletions, ordered by hash.
    func list() async throws -> [Deletion]

    /// Adds deletions. Those that are known get the new day.
    func add(_ deletions: [Deletion]) async throws

    /// Forgets deletions, whatever their days.
    func delete(_ deletions: [Deletion]) async throws
}
