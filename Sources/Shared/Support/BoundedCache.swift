public import Foundation
import Synchronization

/// Values that cost a read or a computation to get, kept for a while, never more than a fixed number of them.
///
/// It is asked at every request by every thread, so it is cut into shards with a lock each, held for one look-up.
/// A shard has two halves: when the young one is full it becomes the old one, and what was old and not asked for
/// since is gone. That keeps what is in use, in constant time and without a list of uses.
public final class BoundedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        let value: Value
        let validity: Range<Date>
    }

    private struct Shard {
        var young: [Key: Entry] = [:]
        var old: [Key: Entry] = [:]
        var removals = 0
    }

    private final class LockedShard: Sendable {
        let state = Mutex(Shard())
    }

    /// A power of two; more locks than cores that serve requests, so that two rarely want the same one.
    private static var shardCount: Int { 32 }

    private let shards: [LockedShard]
    private let halfSize: Int

    /// - Parameter capacity: the most entries kept; rounded up to what the shards divide.
    public init(capacity: Int) {
        shards = (0..<Self.shardCount).map { _ in LockedShard() }
        halfSize = max(1, (capacity + 2 * Self.shardCount - 1) / (2 * Self.shardCount))
    }

    /// The value, if it is there and `now` lies in the time it was stored for.
    public func value(for key: Key, at now: Date) -> Value? {
        shard(of: key).state.withLock { shard in
            if let entry = shard.young[key] {
                return entry.validity.contains(now) ? entry.value : nil
            }
            guard let entry = shard.old.removeValue(forKey: key), entry.validity.contains(now) else { return nil }
            insert(entry, for: key, into: &shard)
            return entry.value
        }
    }

    /// A mark to take before a value is read elsewhere and hand to `store`.
    public func removals(for key: Key) -> Int {
        shard(of: key).state.withLock(\.removals)
    }

    /// Keeps a value for the times in `validity`; outside them it is not found, also when a clock was set back.
    /// - Parameter removals: what `removals(for:)` said before the value was read. If something was removed since,
    ///   nothing is kept: the value may be older than its removal, which would bring an ended session back.
    public func store(_ value: Value, for key: Key, validity: Range<Date>, unlessRemovedSince removals: Int) {
        shard(of: key).state.withLock { shard in
            guard shard.removals == removals else { return }
            insert(Entry(value: value, validity: validity), for: key, into: &shard)
        }
    }

    /// Forgets one value.
    public func remove(_ key: Key) {
        shard(of: key).state.withLock { shard in
            shard.young[key] = nil
            shard.old[key] = nil
            shard.removals += 1
        }
    }

    /// Forgets every value that matches.
    /// - Complexity: all entries are looked at; for rare events.
    public func removeAll(where matches: (Value) -> Bool) {
        for locked in shards {
            locked.state.withLock { shard in
                shard.young = shard.young.filter { !matches($0.value.value) }
                shard.old = shard.old.filter { !matches($0.value.value) }
                shard.removals += 1
            }
        }
    }

    /// Entries kept now, expired ones included.
    var count: Int {
        shards.reduce(0) { sum, locked in sum + locked.state.withLock { $0.young.count + $0.old.count } }
    }

    private func insert(_ entry: Entry, for key: Key, into shard: inout Shard) {
        shard.old[key] = nil
        if shard.young.count >= halfSize, shard.young[key] == nil {
            shard.old = shard.young
            shard.young = [:]
        }
        shard.young[key] = entry
    }

    private func shard(of key: Key) -> LockedShard {
        shards[key.hashValue & (Self.shardCount - 1)]
    }
}
