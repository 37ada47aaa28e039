package import Foundation
package import Ports
import Synchronization

/// A clock that only moves when a test advances it, so that no test waits for real time.
package final class ManualClock: Clock {
    /// A point in time, relative to the clock's start.
    package struct Instant: InstantProtocol {
        /// Time since the start.
        package var offset = Duration.zero

        /// The instant after a duration, which may be negative.
        package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// The duration until another instant.
        package func duration(to other: Instant) -> Duration { other.offset - offset }
        /// Compares the offsets.
        package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State {
        var now = Instant()
        var nextID = 0
        var sleepers: [Int: (deadline: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

        /// The watchers whose number of sleepers is reached.
        mutating func satisfiedWatchers() -> [CheckedContinuation<Void, Never>] {
            let satisfied = watchers.filter { $0.count <= sleepers.count }
            watchers.removeAll { $0.count <= sleepers.count }
            return satisfied.map(\.continuation)
        }
    }

    private let start: Date
    private let state = Mutex(State())

    /// - Parameter start: the wall clock's time before the first `advance`.
    package init(start: Date) {
        self.start = start
    }

    /// The current time.
    package var now: Instant { state.withLock { $0.now } }
    /// Zero: the clock is exact.
    package var minimumResolution: Duration { .zero }

    /// The same time as a wall clock.
    package var wall: WallClock { WallClock { self.start + self.now.offset.seconds } }

    /// Waits until a test advances the clock to the deadline.
    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock {
            $0.nextID += 1
            return $0.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let watchers = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                    // Checked under the lock: a later cancellation finds the sleeper.
                    if Task.isCancelled {
                        continuation.resume(throwing: CancellationError())
                    } else if deadline <= state.now {
                        continuation.resume()
                    } else {
                        state.sleepers[id] = (deadline, continuation)
                    }
                    return state.satisfiedWatchers()
                }
                for watcher in watchers { watcher.resume() }
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: id) }?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Advances the time and wakes all sleepers whose deadline has passed.
    package func advance(by duration: Duration) {
        let woken = state.withLock { state -> [CheckedContinuation<Void, any Error>] in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    /// Returns when at least `count` tasks sleep on this clock.
    package func sleepers(atLeast count: Int) async {
        await withCheckedContinuation { continuation in
            let watchers = state.withLock { state in
                state.watchers.append((count, continuation))
                return state.satisfiedWatchers()
            }
            for watcher in watchers { watcher.resume() }
        }
    }
}

extension Duration {
    /// Including the fraction.
    package var seconds: TimeInterval { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
