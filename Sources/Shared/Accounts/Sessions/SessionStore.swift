public import Foundation

/// Where sessions and failed log-ins are kept. Every call may also throw `AppError.storeUnavailable`.
///
/// However a session ends, the devices that were registered in it go with it, in the same transaction.
public protocol SessionStore: Sendable {
    /// Stores a new session. A user who already has `Session.maximumPerUser` loses those that were used longest ago, by day
    /// and then by when they expire, in the same transaction: however many begin at once, no more are left.
    /// - Parameter claim: the token that allows the log-in and is used up with it, if there is one.
    /// - Throws: `AppError.notFound` if there is no such user; `AppError.linkExpired` if `claim` names no token that
    ///   counts for them. Then nothing was changed.
    func insert(_ session: Session, claiming claim: TokenClaim?) async throws

    /// `nil` if it was ended or never was. An expired one may still be found.
    func find(id: Session.ID) async throws -> Session?

    /// The user's sessions that have not expired at `now`, last used first, then by id.
    func list(userID: User.ID, at now: Date) async throws -> [Session]

    /// Moves to the next generation, if the session still is at `generation`; extends it to `expires`, rounded up to the
    /// beginning of a day, and sets `repeatUntil`. Removes every session's `repeatUntil` that is over at `now`.
    /// - Returns: false if another request was faster or the session is gone.
    func rotate(
        id: Session.ID, from generation: Int, at now: Date, repeatUntil: Date, expires: Date
    ) async throws -> Bool

    /// Removes every session's `repeatUntil` that is over at `now`.
    func clearRepeats(at now: Date) async throws

    /// Notes the day of use.
    func touch(id: Session.ID, day: CalendarDay) async throws

    /// Ends one session; no error if it is gone already.
    func end(id: Session.ID) async throws

    /// Ends every session of a user but one.
    func endAll(userID: User.ID, except: Session.ID?) async throws

    /// Removes sessions that expired before `instant`.
    func deleteExpired(before instant: Date) async throws

    /// What is known of failed log-ins under a key (`LoginThrottle` makes the keys); `nil` if nothing.
    func failures(key: [UInt8]) async throws -> LoginFailures?

    /// Counts one more failure, in one atomic step, and returns the count after it. A count whose last failure lies
    /// more than `LoginThrottle.memory` before `now` starts again at one.
    func recordFailure(key: [UInt8], at now: Date) async throws -> LoginFailures

    /// Forgets the failures under a key: a log-in succeeded.
    func clearFailures(key: [UInt8]) async throws
}

extension SessionStore {
    /// Stores a new session that no token is used up for.
    public func insert(_ session: Session) async throws {
        try await insert(session, claiming: nil)
    }
}

/// Consecutive failed log-ins under one key.
public struct LoginFailures: Hashable, Sendable {
    /// How many in a row.
    public let count: Int
    /// When the last one was.
    public let last: Date

    /// As a store keeps it.
    public init(count: Int, last: Date) {
        self.count = count
        self.last = last
    }
}
