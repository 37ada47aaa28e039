package import Domain
package import Foundation

/// Stores the heartbeats of processes. Every call may also throw `StorageError.unavailable`.
package protocol ProcessStore: Sendable {
    /// Stores a process's record and replaces its previous one.
    func record(_ record: ProcessRecord) async throws

    /// All processes seen at `aliveSince` or later, and the `maximumGone` most recent of those seen before it, but not
    /// before `instant`. Ordered by kind, host, start and id.
    func list(since instant: Date, aliveSince: Date, maximumGone: Int) async throws -> [ProcessRecord]

    /// Removes a process that ended normally. Deleting a missing process succeeds.
    func delete(id: ProcessRecord.ID) async throws

    /// Removes processes last seen before an instant.
    func deleteUnseen(since instant: Date) async throws

    /// Removes processes of this kind on this host last seen before an instant.
    func deleteUnseen(since instant: Date, kind: ProcessRecord.Kind, host: String) async throws
}
