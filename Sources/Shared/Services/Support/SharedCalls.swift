import Storage
import Synchronization

/// Lets many callers share few calls to the store: the keys that arrive while a call is under way are passed to the
/// next one together, and callers with the same key wait for the same result.
///
/// A call costs nearly the same for one key as for thirty. A single caller does not wait for others. A caller that is
/// cancelled waits until its call ends, which the store limits.
final class SharedCalls<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// With a second call under way, the store works while this process handles the results of the first.
    private static var maximumCalls: Int { 2 }
    /// Keys per call. With more, the first ones would wait for the last.
    private static var maximumKeys: Int { 64 }

    private typealias Continuations = [CheckedContinuation<Value?, any Error>]

    private struct State {
        /// In the order in which they arrived.
        var keys: [Key] = []
        var waiting: [Key: Continuations] = [:]
        var calls = 0

        /// Removes the first keys with their callers.
        mutating func take(_ count: Int) -> [(key: Key, waiting: Continuations)] {
            let taken = keys.prefix(count).map { (key: $0, waiting: waiting.removeValue(forKey: $0) ?? []) }
            keys.removeFirst(taken.count)
            return taken
        }
    }

    private let state = Mutex(State())
    private let call: @Sendable ([Key]) async throws -> [Key: Value]

    /// - Parameter call: gets each key once; keys without a value may be missing from its result.
    init(_ call: @escaping @Sendable ([Key]) async throws -> [Key: Value]) {
        self.call = call
    }

    /// The value for a key; `nil` if there is none.
    /// - Throws: what the call throws for this key; `StorageError.unavailable` also if an earlier call threw it.
    func value(for key: Key) async throws -> Value? {
        try await withCheckedThrowingContinuation { continuation in
            let begins = state.withLock { state in
                if state.waiting[key] == nil { state.keys.append(key) }
                state.waiting[key, default: []].append(continuation)
                guard state.calls < Self.maximumCalls else { return false }
                state.calls += 1
                return true
            }
            // Not part of the caller's task: it serves others too, who must not be cancelled or logged with it.
            if begins { Task.detached { await self.callUntilNobodyWaits() } }
        }
    }

    /// Number of callers whose call has not begun. For tests.
    var waitingCount: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

    private func callUntilNobodyWaits() async {
        while true {
            let batch = state.withLock { state in
                let batch = state.take(Self.maximumKeys)
                if batch.isEmpty { state.calls -= 1 }
                return batch
            }
            if batch.isEmpty { return }
            _ = await answer(batch)
        }
    }

    /// - Returns: whether the store was there.
    private func answer(_ batch: [(key: Key, waiting: Continuations)]) async -> Bool {
        do {
            let values = try await call(batch.map(\.key))
            for (key, waiting) in batch {
                for continuation in waiting { continuation.resume(returning: values[key]) }
            }
            return true
        } catch {
            let isAway = error as? StorageError == .unavailable
            guard isAway || batch.count == 1 else {
                // One key is at fault. The others must not share its error.
                for (index, part) in batch.enumerated() {
                    guard await answer([part]) else {
                        Self.refuse(batch[(index + 1)...], because: StorageError.unavailable)
                        return false
                    }
                }
                return true
            }
            // Those who came meanwhile would wait for a time-out after the other.
            let others = isAway ? state.withLock { $0.take($0.keys.count) } : []
            Self.refuse((batch + others)[...], because: error)
            return !isAway
        }
    }

    private static func refuse(_ batch: ArraySlice<(key: Key, waiting: Continuations)>, because error: any Error) {
        for (_, waiting) in batch {
            for continuation in waiting { continuation.resume(throwing: error) }
        }
    }
}
