/// Remembers what was deleted at a person's request. A row is added in the transaction that deletes
/// (`DeletionRows.insert`). Every call may also throw `StorageError.unavailable`.
package protocol DeletionStore: Sendable {
    /// All deletions, ordered by hash.
    func list() async throws -> [Deletion]

    /// Adds those that are not known.
    func add(_ deletions: [Deletion]) async throws

    /// Forgets the deletions of earlier days.
    func delete(before day: CalendarDay) async throws
}
