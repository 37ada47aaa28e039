public import Foundation

/// Where processes leave their signs of life. Every call may also throw `AppError.storeUnavailable`.
public protocol ProcessStore: Sendable {
    /// Puts a process's record in the place of the one before.
    func note(_ record: ProcessRecord) async throws

    /// Those seen at `aliveSince` or after, and of those seen before it, but not before `instant`, the `maximumGone` seen
    /// last; all of them in order of kind, host, start and id.
    func list(since instant: Date, aliveSince: Date, maximumGone: Int) async throws -> [ProcessRecord]

    /// Removes a process that ended as it should; nothing if it is not there.
    func delete(id: ProcessRecord.ID) async throws

    /// Removes processes that were last seen before an instant.
    func deleteUnseen(since instant: Date) async throws

    /// Removes processes of this kind on this host that were last seen before an instant.
    func deleteUnseen(since instant: Date, kind: ProcessRecord.Kind, host: String) async throws
}
