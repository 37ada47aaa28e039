package import Domain
package import Foundation

/// Sessions and failed logins.
package protocol SessionRows {
    /// `nil` if it has ended or never existed. An expired one may still be found.
    func session(_ id: Session.ID) throws -> Session?

    /// What is known of people who send requests: those of the sessions that exist, and all memberships of the users.
    /// One round trip.
    func sessions(_ ids: [Session.ID], membershipsOf userIDs: [User.ID]) throws -> (
        sessions: [Session], memberships: [Membership]
    )

    /// The user's sessions that have not expired at `now`, most recently used first, then by id.
    func sessions(of userID: User.ID, at now: Date) throws -> [Session]

    /// A number for each slot. It changes when a user of the slot loses a session or a membership, also by the deletion
    /// of the account or the team, and when their role in a team changes. One round trip at a constant cost.
    func revocations() throws -> [RevocationSlot: Int]

    /// The failed logins under a key from `LoginThrottle`; `nil` if there are none.
    func loginFailures(_ key: [UInt8]) throws -> LoginFailures?
}

/// Changes of sessions and failed logins, each atomic by itself.
///
/// However a session ends, the devices registered in it are deleted in the same transaction.
package protocol SessionWrites {
    /// Moves to the next generation, if the session is still at `generation`; extends it to `expires`, rounded up to
    /// the beginning of a day, and sets `repeatUntil`. Removes every session's `repeatUntil` that is over at `now`.
    /// - Returns: false if another request was faster or the session no longer exists.
    func rotate(
        _ id: Session.ID, from generation: Int, at now: Date, repeatUntil: Date, expires: Date
    ) throws -> Bool

    /// Records the day of use of these sessions.
    func touch(_ ids: [Session.ID], day: CalendarDay) throws

    /// Ends one session. Ending a missing one succeeds.
    func endSession(_ id: Session.ID) throws

    /// Counts one more failure and returns the new count. If the last failure is more than `LoginFailures.memory`
    /// before `now`, the count restarts at one.
    func recordLoginFailure(_ key: [UInt8], at now: Date) throws -> LoginFailures

    /// Resets the failures under a key after a successful login.
    func deleteLoginFailures(_ key: [UInt8]) throws
}

/// Changes of sessions in a transaction. Devices that were registered in a session are deleted with it.
package protocol SessionChanges {
    /// Makes transactions that lock or end the same session take effect one after the other.
    /// - Returns: whether it exists and belongs to the user.
    @discardableResult
    func lock(_ sessionID: Session.ID, of userID: User.ID) throws -> Bool

    /// - Throws: `StorageError.duplicate` if the id exists.
    func insert(_ session: Session) throws

    /// Deletes all sessions of the user, or all but one.
    func endSessions(of userID: User.ID, except kept: Session.ID?) throws

    /// Deletes the least recently used sessions of the user until `count` are left.
    func endOldestSessions(of userID: User.ID, keeping count: Int) throws
}
