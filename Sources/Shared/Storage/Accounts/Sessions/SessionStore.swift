package import Domain
package import Foundation

/// Stores sessions and failed logins. Every call may also throw `StorageError.unavailable`.
///
/// However a session ends, the devices registered in it are deleted in the same transaction.
package protocol SessionStore: TransactionalStore {
    /// `nil` if it has ended or never existed. An expired one may still be found.
    func find(id: Session.ID) async throws -> Session?

    /// What is known of people who send requests: those of the sessions that exist, and all memberships of the users.
    /// One round trip.
    func find(sessions: [Session.ID], membershipsOf userIDs: [User.ID]) async throws -> (
        sessions: [Session], memberships: [Membership]
    )

    /// A number for each slot. It changes when a user of the slot loses a session or a membership, also by the deletion
    /// of the account or the team, and when their role in a team changes. One round trip at a constant cost.
    func revocations() async throws -> [RevocationSlot: Int]

    /// The user's sessions that have not expired at `now`, most recently used first, then by id.
    func list(userID: User.ID, at now: Date) async throws -> [Session]

    /// Moves to the next generation, if the session is still at `generation`; extends it to `expires`, rounded up to
    /// the beginning of a day, and sets `repeatUntil`. Removes every session's `repeatUntil` that is over at `now`.
    /// - Returns: false if another request was faster or the session no longer exists.
    func rotate(
        id: Session.ID, from generation: Int, at now: Date, repeatUntil: Date, expires: Date
    ) async throws -> Bool

    /// Removes every session's `repeatUntil` that is over at `now`.
    func deleteRepeats(at now: Date) async throws

    /// Records the day of use of these sessions.
    func touch(_ ids: [Session.ID], day: CalendarDay) async throws

    /// Ends one session. Ending a missing one succeeds.
    func end(id: Session.ID) async throws

    /// Ends all sessions of a user except one.
    func endAll(userID: User.ID, except: Session.ID?) async throws

    /// Removes sessions that expired before `instant`.
    func deleteExpired(before instant: Date) async throws

    /// The failed logins under a key from `LoginThrottle`; `nil` if there are none.
    func failures(key: [UInt8]) async throws -> LoginFailures?

    /// Atomically counts one more failure and returns the new count. If the last failure is more than
    /// `LoginFailures.memory` before `now`, the count restarts at one.
    func recordFailure(key: [UInt8], at now: Date) async throws -> LoginFailures

    /// Resets the failures under a key after a successful login.
    func deleteFailures(key: [UInt8]) async throws
}
