import Dispatch
import Synchronization

/// The answer to a question that another thread is asking, lent by `MongoClient.whileAsking`.
package final class PendingResult<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)
    /// Signalled once, when the result arrives. Each released waiter releases the next.
    private let arrival = DispatchSemaphore(value: 0)

    init() {}

    /// The answer. Blocks until it arrives; may be called repeatedly.
    ///
    /// - Throws: what the question threw; `MongoError` of kind `unreachable` if no thread or connection was free in
    ///   time to ask it.
    package func get() throws -> Value {
        try outcome.get()
    }

    /// Blocks until the question has ended, successfully or not.
    func wait() {
        _ = outcome
    }

    /// Called once, by the thread that asked.
    func end(with result: Result<Value, any Error>) {
        self.result.withLock { $0 = result }
        arrival.signal()
    }

    private var outcome: Result<Value, any Error> {
        while true {
            if let result = result.withLock({ $0 }) { return result }
            arrival.wait()
            arrival.signal()
        }
    }
}
