import Synchronization

/// Lets many callers share few calls: the keys that arrive while a call is under way are passed to the next one
/// together, and callers with the same key wait for the same result.
///
/// A call to a store costs nearly the same for one key as for thirty. A single caller does not wait for others.
final class SharedCalls<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// With a second call under way, the store works while this process handles the results of the first.
    private static var maximumCalls: Int { 2 }
    /// Keys per call. With more, the first ones would wait for the last.
    private static var maximumKeys: Int { 64 }

    private typealias Waiting = [CheckedContinuation<Value?, any Error>]

    private struct State {
        var waiting: [Key: Waiting] = [:]
        var calls = 0
    }

    private let state = Mutex(State())
    private let call: @Sendable ([Key]) async throws -> [Key: Value]

    /// - Parameter call: gets each key once; keys without a value may be missing from its result.
    init(_ call: @escaping @Sendable ([Key]) async throws -> [Key: Value]) {
        self.call = call
    }

    /// The value for a key; `nil` if there is none.
    /// - Throws: what the call throws; all callers that share it get the same error.
    func value(for key: Key) async throws -> Value? {
        try await withCheckedThrowingContinuation { continuation in
            let begins = state.withLock { state in
                state.waiting[key, default: []].append(continuation)
                guard state.calls < Self.maximumCalls else { return false }
                state.calls += 1
                return true
            }
            // Not in the caller's task: it would have to serve those that come later, and its end would cancel them.
            if begins { Task { await callUntilNobodyWaits() } }
        }
    }

    /// Number of callers whose call has not begun. For tests.
    var waitingCount: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

    private func callUntilNobodyWaits() async {
        while let batch = nextBatch() {
            do {
                let values = try await call(Array(batch.keys))
                for (key, waiting) in batch {
                    for continuation in waiting { continuation.resume(returning: values[key]) }
                }
            } catch {
                for continuation in batch.values.joined() { continuation.resume(throwing: error) }
            }
        }
    }

    /// - Returns: `nil` if nobody waits; then this call has ended.
    private func nextBatch() -> [Key: Waiting]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.calls -= 1
                return nil
            }
            guard state.waiting.count > Self.maximumKeys else {
                defer { state.waiting = [:] }
                return state.waiting
            }
            var batch: [Key: Waiting] = [:]
            for key in state.waiting.keys.prefix(Self.maximumKeys) {
                batch[key] = state.waiting.removeValue(forKey: key)
            }
            return batch
        }
    }
}
