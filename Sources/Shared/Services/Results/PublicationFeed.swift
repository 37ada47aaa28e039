package import Domain
import ServiceLifecycle
package import Storage
import Synchronization

/// Notifies listeners when a team publishes something. One task reads the publication numbers for all listeners of a
/// process.
///
/// While a team has listeners, its number is read once a second, so several processes over one store notify theirs
/// within a second of each other. Without listeners nothing is read. A number changes only on publication, never on a
/// ballot, so the notifications reveal nothing else.
package final class PublicationFeed: Service {
    /// One notification to a listener.
    package struct Event: Hashable, Sendable {
        /// The team's publication number.
        package let number: Int
        /// Increases by one with every `readingsPerCheck` readings. It prompts a check whether the listener may still
        /// listen, and a sign that the connection is alive.
        package let check: Int
    }

    /// Time between two readings of a team's number.
    package static let interval = Duration.seconds(1)
    /// Readings between two checks; limits how long a removed member still gets notifications.
    static let readingsPerCheck = 5
    /// Checks that a listener may leave unread before it is disconnected: it has disconnected itself or has stalled.
    static let patience = 6
    /// Maximum number of one user's listeners: open tabs and devices.
    package static let maximumPerUser = 6
    /// Maximum number of a process's listeners: half of its default connection limit, so that connections remain for
    /// other requests.
    package static let maximum = 2_048
    /// Concurrent reads: only some of a pool's threads, so that requests find free ones.
    private static let readers = 4

    private struct Listener {
        let userID: User.ID
        let teamID: Team.ID
        let events: AsyncStream<Event>.Continuation
        let onStalled: @Sendable () -> Void
        var untaken = 0
    }

    private struct State {
        var listeners: [Int: Listener] = [:]
        var next = 0
        var counts: [User.ID: Int] = [:]
        var numbers: [Team.ID: Int] = [:]
        /// Resumed by the first listener.
        var wake: CheckedContinuation<Void, Never>?
        /// Finished when the last listener is gone.
        var idle: [AsyncStream<Never>.Continuation] = []
        var isStopping = false
    }

    private let state = Mutex(State())
    private let sprints: SprintService
    private let store: any Store
    private let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameters:
    ///   - sprints: ends a team's sprint on time even if no request arrives.
    ///   - clock: paces the readings.
    package init(sprints: SprintService, store: any Store, clock: any Clock<Duration> = ContinuousClock()) {
        self.sprints = sprints
        self.store = store
        sleep = { try await clock.sleep(for: $0) }
    }

    /// Checks that there is room for another listener.
    /// - Throws: `AppError.tooManyRequests` if the user has reached the limit, `AppError.unavailable` if the process
    ///   has.
    package func checkCapacity(for userID: User.ID) throws(AppError) {
        if let rejection = state.withLock({ Self.rejection(of: userID, in: $0) }) { throw rejection }
    }

    /// Lends a team's notifications until `body` returns. The latest one waits for a slow listener; there is never more
    /// than one.
    /// - Parameter onStalled: closes the listener's connection; called if it no longer reads.
    /// - Throws: as `checkCapacity`, and what `body` throws.
    package func subscribe(
        to teamID: Team.ID, as userID: User.ID, onStalled: @escaping @Sendable () -> Void,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (PublicationEvents) async throws -> Void
    ) async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(1))
        let listener = Listener(userID: userID, teamID: teamID, events: continuation, onStalled: onStalled)
        let id = try state.withLock { state throws(AppError) in
            if let rejection = Self.rejection(of: userID, in: state) { throw rejection }
            state.next += 1
            state.listeners[state.next] = listener
            state.counts[userID, default: 0] += 1
            // The other listeners got this number already; only the new one needs it.
            if let number = state.numbers[teamID] { continuation.yield(Event(number: number, check: 0)) }
            state.wake?.resume()
            state.wake = nil
            return state.next
        }
        defer { remove(id) }
        try await body(PublicationEvents(stream: stream, end: { continuation.finish() }))
    }

    /// Current number of listeners.
    package var listenerCount: Int { state.withLock { $0.listeners.count } }

    /// Returns when no listener is left: a disconnected one is included until this process has noticed.
    package func waitUntilIdle() async {
        let (idle, continuation) = AsyncStream.makeStream(of: Never.self)
        state.withLock { state in
            if state.listeners.isEmpty { continuation.finish() } else { state.idle.append(continuation) }
        }
        for await _ in idle {}
    }

    /// Reads until the service shuts down.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            var reading = 0
            while await self.someoneListens() {
                do {
                    try await self.sleep(Self.interval)
                } catch {
                    break
                }
                reading += 1
                let isCheck = reading.isMultiple(of: Self.readingsPerCheck)
                await self.readNumbers(check: isCheck ? reading / Self.readingsPerCheck : nil)
            }
        }
    }

    /// Returns when there is a listener.
    /// - Returns: false if the service shuts down.
    private func someoneListens() async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if state.isStopping || !state.listeners.isEmpty { return true }
                    state.wake = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            state.withLock { state in
                state.isStopping = true
                state.wake?.resume()
                state.wake = nil
            }
        }
        return !state.withLock(\.isStopping)
    }

    /// - Parameter check: the check number to send to all listeners; `nil` to send changes only.
    private func readNumbers(check: Int?) async {
        let teamIDs = state.withLock { state in Set(state.listeners.values.map(\.teamID)) }
        await withTaskGroup(of: Bool.self) { group in
            for (index, teamID) in teamIDs.enumerated() {
                // An unavailable store takes seconds to fail, for each team separately.
                if index >= Self.readers, await group.next() == false { break }
                group.addTask { await self.readNumber(of: teamID, check: check) }
            }
        }
        state.withLock { state in
            state.numbers = state.numbers.filter { teamIDs.contains($0.key) }
        }
    }

    /// - Returns: false if the store is unavailable; requests report that, and the next reading follows a second later.
    private func readNumber(of teamID: Team.ID, check: Int?) async -> Bool {
        do {
            _ = try await sprints.runningSprint(of: teamID)
            guard let number = try await store.read({ try $0.publicationNumber(of: teamID) }) else {
                throw AppError.noSuchTeam
            }
            say(number, to: teamID, check: check)
            return true
        } catch let error as AppError where error.code == .notFound {
            endAll(of: teamID)
            return true
        } catch {
            return false
        }
    }

    private func say(_ number: Int, to teamID: Team.ID, check: Int?) {
        let late = state.withLock { state -> [Listener] in
            let isNews = state.numbers.updateValue(number, forKey: teamID) != number
            guard isNews || check != nil else { return [] }
            var late: [Listener] = []
            for (id, listener) in state.listeners where listener.teamID == teamID {
                let result = listener.events.yield(Event(number: number, check: check ?? 0))
                guard check != nil else { continue }
                if case .dropped = result {
                    state.listeners[id]?.untaken += 1
                    if listener.untaken + 1 >= Self.patience { late.append(listener) }
                } else {
                    state.listeners[id]?.untaken = 0
                }
            }
            return late
        }
        for listener in late { listener.onStalled() }
    }

    private func endAll(of teamID: Team.ID) {
        let listeners = state.withLock { state in state.listeners.values.filter { $0.teamID == teamID } }
        for listener in listeners { listener.events.finish() }
    }

    private func remove(_ id: Int) {
        state.withLock { state in
            guard let listener = state.listeners.removeValue(forKey: id) else { return }
            let count = state.counts[listener.userID, default: 1] - 1
            state.counts[listener.userID] = count > 0 ? count : nil
            guard state.listeners.isEmpty else { return }
            for continuation in state.idle { continuation.finish() }
            state.idle = []
        }
    }

    private static func rejection(of userID: User.ID, in state: State) -> AppError? {
        if state.counts[userID, default: 0] >= maximumPerUser { return .tooManyStreams }
        return state.listeners.count >= maximum ? .streamsFull : nil
    }
}

/// The notifications of one listener, until either side ends them.
package struct PublicationEvents: Sendable {
    /// In order; of the unread ones only the latest.
    package let stream: AsyncStream<PublicationFeed.Event>
    /// Ends the stream.
    package let end: @Sendable () -> Void
}

extension AppError {
    /// The limit for one user's tabs and devices.
    static let tooManyStreams = AppError(
        .tooManyRequests, "You have too many live views open. Please close some of them.",
        reason: .tooManyStreams, retryAfter: 30)
    /// The limit for the whole process.
    static let streamsFull = AppError(
        .unavailable, "Too many live views are open right now. Please try again in a moment.", reason: .streamsFull,
        retryAfter: 30)
}
