package import Foundation
import ServiceLifecycle
import Synchronization

/// Tells the caches of a process what was revoked in other processes: sessions that ended, memberships that ended or
/// changed.
///
/// It reads the store's numbers once a second (`RevocationSlot`). A cache drops the users whose number has changed, and
/// is not used while the last reading is too old: because the store is away, the process was suspended, or no feed
/// runs.
package final class RevocationFeed: Service {
    /// Time between two readings.
    package static let interval = Duration.seconds(1)
    /// Seconds after the beginning of a reading for which caches may be used; so nothing that was revoked works longer
    /// anywhere. Longer than the interval, so that one slow reading does not send every request to the store.
    package static let trust: TimeInterval = 3
    /// Maximum seconds for which a cache keeps anything. It limits what the numbers do not show: rows that were deleted
    /// by hand, or by a program from before there were numbers, which runs beside this one during an upgrade.
    package static let memory: TimeInterval = 600

    /// What the feed tells the caches. `nil` means everybody.
    typealias Change = Set<RevocationSlot>?

    private struct State {
        var numbers: [RevocationSlot: Int]?
        var caches: [@Sendable (Change) -> Void] = []
    }

    private let sessions: any SessionStore
    private let clock: WallClock
    private let sleep: @Sendable (Duration) async throws -> Void
    private let state = Mutex(State())
    /// When the last successful reading began, as the bits of seconds since 1970. Every request reads it.
    private let begun = Atomic<UInt64>((-Double.infinity).bitPattern)

    /// - Parameter pace: paces the readings.
    package init(sessions: any SessionStore, clock: WallClock, pace: any Clock<Duration> = ContinuousClock()) {
        self.sessions = sessions
        self.clock = clock
        sleep = { try await pace.sleep(for: $0) }
    }

    /// Whether caches may be used at this moment.
    func isCurrent(at now: Date) -> Bool {
        let age = now.timeIntervalSince1970 - Double(bitPattern: begun.load(ordering: .acquiring))
        return (0..<Self.trust).contains(age)
    }

    /// Adds a cache, which must drop the users that it is told.
    func tell(_ cache: @escaping @Sendable (Change) -> Void) {
        state.withLock { $0.caches.append(cache) }
    }

    /// Reads until the service shuts down. If the store is unavailable, requests report that, and the next reading
    /// follows a second later.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await self.read()
                do { try await self.sleep(Self.interval) } catch { break }
            }
        }
    }

    /// Reads the numbers once.
    package func read() async throws {
        let now = clock.now
        let numbers = try await sessions.revocations()
        let (change, caches) = state.withLock { state in
            let change: Change = state.numbers.map { known in
                Set(numbers.filter { known[$0.key] != $0.value }.keys)
                    .union(known.keys.filter { numbers[$0] == nil })
            }
            state.numbers = numbers
            return (change, state.caches)
        }
        if change?.isEmpty != true { for cache in caches { cache(change) } }
        // Only now: until the caches have dropped what was revoked, they may be older than this reading.
        begun.store(now.timeIntervalSince1970.bitPattern, ordering: .releasing)
    }
}
