package import Domain

/// Stores reported errors by group. Every call may also throw `StorageError.unavailable`.
///
/// Nothing here names a user, a session or a network address, and no time is finer than a day.
package protocol ClientErrorStore: Sendable {
    /// Atomically counts a report in its group, as defined by `ClientErrorGroup.adding`; no concurrent report is lost.
    /// - Parameters:
    ///   - day: today.
    ///   - limit: maximum number of groups; a report that would create a further one is dropped.
    /// - Returns: whether it was counted.
    func record(_ report: ClientErrorReport, on day: CalendarDay, limit: Int) async throws -> Bool

    /// `nil` if there is none.
    func find(id: ClientErrorGroup.ID) async throws -> ClientErrorGroup?

    /// The resolved or the open groups, the most recently seen first; groups of one day are ordered by id.
    func list(isResolved: Bool, limit: Int) async throws -> [ClientErrorGroup]

    /// Marks a group as resolved, or reopens it.
    /// - Returns: false if there is no such group.
    func resolve(id: ClientErrorGroup.ID, _ isResolved: Bool) async throws -> Bool

    /// Atomically removes a group last seen before a day; the next report of its kind creates a new one.
    /// - Returns: false if there is no such group, or it was seen since.
    func delete(id: ClientErrorGroup.ID, seenBefore day: CalendarDay) async throws -> Bool

    /// Removes groups last seen before a day.
    func deleteUnseen(since day: CalendarDay) async throws
}
