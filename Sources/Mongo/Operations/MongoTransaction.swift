import CMongoC
import Foundation

/// A running transaction: passed as `in:` to every call that belongs to it. A call without it is not part of it.
///
/// Not `Sendable`, and of no use after the closure it was lent to.
@safe public final class MongoTransaction {
    private var handle: OpaquePointer?
    /// The first error of a call inside, kept in case the closure throws another one for it.
    private(set) var failure: MongoError?

    init(session: OpaquePointer) { unsafe handle = session }

    func end() { unsafe handle = nil }

    func note(_ error: MongoError) { failure = failure ?? error }

    /// - Throws: `MongoError` of kind `invalidArgument` after the closure has ended.
    var session: OpaquePointer {
        get throws {
            guard let session = unsafe handle else {
                throw MongoError(.invalidArgument, "A transaction was used after the closure it was lent to")
            }
            return unsafe session
        }
    }
}

/// How often, and for how long, a transaction is tried.
struct TransactionRetry {
    /// Enough for 32 writers to get through one document within the time limit; a bound against spinning.
    static let attemptLimit = 500
    /// The longest pause in microseconds. A conflict lasts as long as the other's commit, about a millisecond.
    private static let longestPause = 50_000

    private let deadline: ContinuousClock.Instant
    private var attempts = 0

    /// - Parameter timeLimit: after which nothing is tried again.
    init(timeLimit: Duration) {
        deadline = .now + timeLimit
    }

    /// Whether to go on after this error; pauses first.
    ///
    /// The pause is random between 0 and 1 ms, doubled with each attempt up to 50 ms: all who collided start at once
    /// otherwise and collide again.
    mutating func goesOn(after error: MongoError) -> Bool {
        attempts += 1
        guard attempts < Self.attemptLimit, ContinuousClock.now < deadline, !error.isServerSelectionFailure else {
            return false
        }
        let longest = min(1_000 << min(attempts - 1, 10), Self.longestPause)
        usleep(UInt32.random(in: 0...UInt32(longest)))
        return true
    }
}
