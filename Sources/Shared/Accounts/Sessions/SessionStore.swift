public import Foundation

/// Stores sessions and failed logins. Every call may also throw `AppError.storeUnavailable`.
///
/// However a session ends, the devices registered in it are deleted in the same transaction.
public protocol SessionStore: Sendable {
    /// Stores a new session. If the user already has `Session.maximumPerUser`, the least recently used ones end in the
    /// same transaction, by day of use and then by expiry; concurrent calls do not exceed the limit either.
    /// - Parameter claim: the token that permits the login and is used up with it, if there is one.
    /// - Throws: `AppError.notFound` if there is no such user; `AppError.linkExpired` if `claim` names no valid token
    ///   for them. Then nothing has changed.
    func insert(_ session: Session, claiming claim: TokenClaim?) async throws

    /// `nil` if it has ended or never existed. An expired one may still be found.
    func find(id: Session.ID) async throws -> Session?

    /// The user's sessions that have not expired at `now`, most recently used first, then by id.
    func list(userID: User.ID, at now: Date) async throws -> [Session]

    /// Moves to the next generation, if the session is still at `generation`; extends it to `expires`, rounded up to
    /// the beginning of a day, and sets `repeatUntil`. Removes every session's `repeatUntil` that is over at `now`.
    /// - Returns: false if another request was faster or the session no longer exists.
    func rotate(
        id: Session.ID, from generation: Int, at now: Date, repeatUntil: Date, expires: Date
    ) async throws -> Bool

    /// Removes every session's `repeatUntil` that is over at `now`.
    func clearRepeats(at now: Date) async throws

    /// Records the day of use.
    func touch(id: Session.ID, day: CalendarDay) async throws

    /// Ends one session. Ending a missing one succeeds.
    func end(id: Session.ID) async throws

    /// Ends all sessions of a user except one.
    func endAll(userID: User.ID, except: Session.ID?) async throws

    /// Removes sessions that expired before `instant`.
    func deleteExpired(before instant: Date) async throws

    /// The failed logins under a key from `LoginThrottle`; `nil` if there are none.
    func failures(key: [UInt8]) async throws -> LoginFailures?

    /// Atomically counts one more failure and returns the new count. If the last failure is more than
    /// `LoginThrottle.memory` before `now`, the count restarts at one.
    func recordFailure(key: [UInt8], at now: Date) async throws -> LoginFailures

    /// Resets the failures under a key after a successful login.
    func clearFailures(key: [UInt8]) async throws
}

extension SessionStore {
    /// Stores a new session that uses up no token.
    public func insert(_ session: Session) async throws {
        try await insert(session, claiming: nil)
    }
}

/// Consecutive failed logins under one key.
public struct LoginFailures: Hashable, Sendable {
    /// Number of failures in a row.
    public let count: Int
    /// Time of the last one.
    public let last: Date

    /// Creates a counter as a store keeps it.
    public init(count: Int, last: Date) {
        self.count = count
        self.last = last
    }
}
