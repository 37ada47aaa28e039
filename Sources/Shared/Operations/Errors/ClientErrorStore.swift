/// Where reported errors are kept, group by group. Every call may also throw `AppError.storeUnavailable`.
///
/// Nothing here names a person, a session or a place, and nothing has a time finer than a day.
public protocol ClientErrorStore: Sendable {
    /// Counts a report in its group, as `ClientErrorGroup.adding` says, in one atomic step; of many at once none is lost.
    /// - Parameters:
    ///   - day: today.
    ///   - limit: groups there may be; a report that would make a further one is left out.
    /// - Returns: whether it was counted.
    func record(_ report: ClientErrorReport, on day: CalendarDay, limit: Int) async throws -> Bool

    /// `nil` if there is none.
    func find(id: ClientErrorGroup.ID) async throws -> ClientErrorGroup?

    /// The groups that are resolved, or those that are not: those seen last at the head, of one day ordered by id.
    func list(isResolved: Bool, limit: Int) async throws -> [ClientErrorGroup]

    /// Marks a group as resolved, or as open again.
    /// - Throws: `AppError.notFound` if there is no such group.
    func resolve(id: ClientErrorGroup.ID, _ isResolved: Bool) async throws

    /// Removes a group that was last seen before a day, in one atomic step; the next report of its kind makes a new one.
    /// - Throws: `AppError`: `notFound` if there is no such group, `conflict` (`client-error-seen-today`) if it was seen
    ///   since.
    func delete(id: ClientErrorGroup.ID, seenBefore day: CalendarDay) async throws

    /// Removes groups that were last seen before a day.
    func deleteUnseen(since day: CalendarDay) async throws
}

extension AppError {
    /// For stores and services: no group of this id.
    public static let noSuchClientError = AppError(
        .notFound, "There is no such error. Perhaps it was removed.", reason: "no-such-client-error")
    /// For stores: a group of today.
    static let clientErrorSeenToday = AppError(
        .conflict, "This error was seen today. It can be removed from tomorrow on.", reason: "client-error-seen-today")
}
