package import Domain

/// Reported errors by group. Nothing here names a user, a session or a network address, and no time is finer than a
/// day.
package protocol ClientErrorRows {
    /// `nil` if there is none.
    func clientError(_ id: ClientErrorGroup.ID) throws -> ClientErrorGroup?

    /// The resolved or the open groups, the most recently seen first; groups of one day are ordered by id.
    func clientErrors(isResolved: Bool, limit: Int) throws -> [ClientErrorGroup]
}

/// Changes of reported errors, each atomic by itself.
package protocol ClientErrorWrites {
    /// Counts a report in its group, as defined by `ClientErrorGroup.adding`; no concurrent report is lost.
    /// - Parameters:
    ///   - day: today.
    ///   - limit: maximum number of groups; a report that would create a further one is dropped.
    /// - Returns: whether it was counted.
    func record(_ report: ClientErrorReport, on day: CalendarDay, limit: Int) throws -> Bool

    /// Marks a group as resolved, or reopens it.
    /// - Returns: false if there is no such group.
    func resolveClientError(_ id: ClientErrorGroup.ID, _ isResolved: Bool) throws -> Bool

    /// Removes a group last seen before a day; the next report of its kind creates a new one.
    /// - Returns: false if there is no such group, or it was seen since.
    func deleteClientError(_ id: ClientErrorGroup.ID, seenBefore day: CalendarDay) throws -> Bool
}
