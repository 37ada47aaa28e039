import Domain
package import Foundation
import Logging
package import Ports
import ServiceLifecycle
package import Storage
import Synchronization

/// Tells the caches of a process what was revoked in other processes: sessions that ended, memberships that ended or
/// changed.
///
/// It reads the store's numbers once a second (`RevocationSlot`), and each cache drops the users of a number that
/// has changed. While the last reading is too old, because the store is unavailable, the process was suspended, or no
/// feed runs, caches may use only what they have just read themselves.
package final class RevocationFeed: Service {
    /// Time between two readings.
    package static let interval = Duration.seconds(1)
    /// Seconds for which a cache may be used after the beginning of a reading, or a value after it was read. What was
    /// revoked works no longer than this in other processes. Longer than the interval, so that one slow reading does
    /// not send every request to the store.
    package static let trust: TimeInterval = 3
    /// Maximum seconds for which a cache keeps anything. It limits what the numbers do not show: rows of MongoDB that
    /// were deleted by hand, or by an older program that does not count and runs beside this one during an upgrade.
    package static let memory: TimeInterval = 600

    /// The users whom a cache must drop; `nil` means all.
    typealias Change = Set<RevocationSlot>?

    private struct State {
        var numbers: [RevocationSlot: Int]?
        var caches: [@Sendable (Change) -> Void] = []
    }

    private static let logger = Logger(label: "revocations")

    private let store: any Store
    private let clock: WallClock
    private let sleep: @Sendable (Duration) async throws -> Void
    private let state = Mutex(State())
    /// When the last successful reading began, as the bits of seconds since 1970. Every request reads it.
    private let begun = Atomic<UInt64>((-Double.infinity).bitPattern)

    /// - Parameter pace: paces the readings.
    package init(store: any Store, clock: WallClock, pace: any Clock<Duration> = ContinuousClock()) {
        self.store = store
        self.clock = clock
        sleep = { try await pace.sleep(for: $0) }
    }

    /// Whether a cache may use at this moment what was read from the store at another.
    func permits(readAt read: Date, at now: Date) -> Bool {
        let age = now.timeIntervalSince1970 - Double(bitPattern: begun.load(ordering: .acquiring))
        return (0..<Self.trust).contains(age) || (0..<Self.trust).contains(now.timeIntervalSince(read))
    }

    /// Adds a cache: a function that drops users.
    func add(_ cache: @escaping @Sendable (Change) -> Void) {
        state.withLock { $0.caches.append(cache) }
    }

    /// Reads until the service shuts down. After an error, the next reading follows a second later.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            var isFailing = false
            while !Task.isCancelled {
                do {
                    try await self.read()
                    if isFailing { Self.logger.notice("Revocations can be read again") }
                    isFailing = false
                } catch {
                    if Task.isCancelled { break }
                    if !isFailing {
                        Self.logger.warning(
                            "Revocations cannot be read: every request asks the store for its session",
                            metadata: ["error": "\(error)"])
                    }
                    isFailing = true
                }
                do { try await self.sleep(Self.interval) } catch { break }
            }
        }
    }

    /// Reads the numbers once.
    package func read() async throws {
        let now = clock.now
        let numbers = try await store.read { try $0.revocations() }
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
