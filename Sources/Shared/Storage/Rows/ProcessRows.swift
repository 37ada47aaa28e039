package import Domain
package import Foundation

/// The heartbeats of processes.
package protocol ProcessRows {
    /// All processes seen at `aliveSince` or later, and the `maximumGone` most recent of those seen before it, but not
    /// before `instant`. Ordered by kind, host, start and id.
    func processes(since instant: Date, aliveSince: Date, maximumGone: Int) throws -> [ProcessRecord]
}

/// Changes of heartbeats, each atomic by itself.
package protocol ProcessWrites {
    /// Stores a process's record and replaces its previous one.
    func record(_ record: ProcessRecord) throws

    /// Removes a process that ended normally. Deleting a missing process succeeds.
    func deleteProcess(_ id: ProcessRecord.ID) throws

    /// Removes processes of this kind on this host last seen before an instant.
    func deleteProcesses(unseenSince instant: Date, kind: ProcessRecord.Kind, host: String) throws
}
