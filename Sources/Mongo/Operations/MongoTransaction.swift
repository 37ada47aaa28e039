import CMongoC
import Foundation

/// A running transaction: passed as `in:` to every call that belongs to it. A call without it runs outside the
/// transaction.
///
/// Not `Sendable`, and invalid after its closure.
@safe package final class MongoTransaction {
    private var handle: OpaquePointer?
    /// The first error of a call inside, kept in case the closure throws another error in its place.
    private(set) var failure: MongoError?

    init(session: OpaquePointer) { unsafe handle = session }

    func end() { unsafe handle = nil }

    func record(_ error: MongoError) { failure = failure ?? error }

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

/// Limits the number and duration of a transaction's attempts.
struct TransactionRetry {
    /// Enough for 32 writers to update one document within the time limit; guards against endless retries.
    static let attemptLimit = 500
    /// The longest pause in microseconds. A conflict lasts as long as the other transaction's commit, about a
    /// millisecond.
    private static let longestPause = 50_000

    private let deadline: ContinuousClock.Instant
    private var attempts = 0

    /// - Parameter timeLimit: the time after which nothing is retried.
    init(timeLimit: Duration) {
        deadline = .now + timeLimit
    }

    /// Whether to retry after this error; pauses first.
    ///
    /// The pause is random, at first between 0 and 1 ms; the upper bound doubles with each attempt up to 50 ms. Without
    /// the randomness, all colliding transactions would restart together and collide again.
    mutating func continues(after error: MongoError) -> Bool {
        attempts += 1
        guard attempts < Self.attemptLimit, ContinuousClock.now < deadline, !error.isServerSelectionFailure else {
            return false
        }
        let longest = min(1_000 << min(attempts - 1, 10), Self.longestPause)
        usleep(UInt32.random(in: 0...UInt32(longest)))
        return true
    }
}
