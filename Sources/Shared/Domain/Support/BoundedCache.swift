package import Foundation
import Synchronization

/// A cache with a fixed capacity for values that are expensive to read or compute.
///
/// All threads use it for every request, so it is split into shards, each with its own lock, held for one lookup. A
/// shard has two halves: when the young half is full it becomes the old one, and old entries that were not used since
/// are dropped. That keeps entries in use, in constant time and without a list of uses.
package final class BoundedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        let value: Value
        let validity: Range<Date>
    }

    private struct Shard {
        var young: [Key: Entry] = [:]
        var old: [Key: Entry] = [:]
    }

    private final class LockedShard: Sendable {
        let state = Mutex(Shard())
    }

    /// A power of two; more locks than cores that serve requests, so that threads rarely contend for one.
    private static var shardCount: Int { 32 }

    private let shards: [LockedShard]
    private let halfSize: Int
    private let removalCount = Atomic(0)

    /// - Parameter capacity: the maximum number of entries; rounded up to a multiple of the shards.
    package init(capacity: Int) {
        shards = (0..<Self.shardCount).map { _ in LockedShard() }
        halfSize = max(1, (capacity + 2 * Self.shardCount - 1) / (2 * Self.shardCount))
    }

    /// The value, if it exists and `now` lies in its validity.
    package func value(for key: Key, at now: Date) -> Value? {
        shard(of: key).state.withLock { shard in
            if let entry = shard.young[key] {
                return entry.validity.contains(now) ? entry.value : nil
            }
            guard let entry = shard.old.removeValue(forKey: key), entry.validity.contains(now) else { return nil }
            insert(entry, for: key, into: &shard)
            return entry.value
        }
    }

    /// The number of removals so far: to be read before a value is loaded elsewhere, and passed to `store`.
    package var removals: Int { removalCount.load(ordering: .acquiring) }

    /// Keeps a value for the times in `validity`; at other times it is not returned, even if a clock was set back.
    /// - Parameter removals: `removals` before the value was loaded. If something was removed since, nothing is stored:
    ///   the value may be outdated and would, for example, restore an ended session.
    package func store(_ value: Value, for key: Key, validity: Range<Date>, unlessRemovedSince removals: Int) {
        shard(of: key).state.withLock { shard in
            guard self.removals == removals else { return }
            insert(Entry(value: value, validity: validity), for: key, into: &shard)
        }
    }

    /// Removes one value.
    package func remove(_ key: Key) {
        countRemoval()
        shard(of: key).state.withLock { shard in
            shard.young[key] = nil
            shard.old[key] = nil
        }
    }

    /// Removes every value that matches.
    /// - Complexity: scans all entries; for events that come once a second at most.
    package func removeAll(where matches: (Value) -> Bool) {
        countRemoval()
        for locked in shards {
            locked.state.withLock { shard in
                shard.young = shard.young.filter { !matches($0.value.value) }
                shard.old = shard.old.filter { !matches($0.value.value) }
            }
        }
    }

    /// Number of entries, including expired ones.
    package var count: Int {
        shards.reduce(0) { sum, locked in sum + locked.state.withLock { $0.young.count + $0.old.count } }
    }

    /// Called before a shard is locked to remove from it: a later call of `store` there sees the new number.
    private func countRemoval() { removalCount.add(1, ordering: .acquiringAndReleasing) }

    private func insert(_ entry: Entry, for key: Key, into shard: inout Shard) {
        shard.old[key] = nil
        if shard.young.count >= halfSize, shard.young[key] == nil {
            shard.old = shard.young
            shard.young = [:]
        }
        shard.young[key] = entry
    }

    private func shard(of key: Key) -> LockedShard { shards[key.hashValue & (Self.shardCount - 1)] }
}
