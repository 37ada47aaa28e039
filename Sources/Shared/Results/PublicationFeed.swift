public import ServiceLifecycle
import Synchronization

/// Tells whoever listens when a team publishes something: one reader of publication numbers for all listeners of a
/// process.
///
/// While a team has listeners its number is read once a second, so several processes over one store tell theirs within
/// a second of each other. Without listeners nothing is read. A number moves on publication alone, never on a ballot, so
/// neither does anything said here.
public final class PublicationFeed: Service {
    /// What a listener hears.
    public struct Pulse: Hashable, Sendable {
        /// The team's publication number.
        public let number: Int
        /// Grows by one at every `checkInterval`, to look again whether the listener may listen, and to say something
        /// now and then.
        public let check: Int
    }

    /// Seconds between two readings of a team's number.
    public static let interval = Duration.seconds(1)
    /// Readings from one check to the next: what a removed member still hears is no more than that old.
    static let readingsPerCheck = 5
    /// Checks that a listener may leave untaken before it is cut off: it is gone, or reads next to nothing.
    static let patience = 6
    /// Listeners of one user: tabs and devices at once.
    public static let maximumPerUser = 6
    /// Listeners of a process: half of the connections it takes by default, so that there are always some for others.
    public static let maximum = 2_048
    /// Numbers read at the same time: some of a pool's threads, so that requests find others.
    private static let readers = 4

    private struct Listener {
        let userID: User.ID
        let teamID: Team.ID
        let pulses: AsyncStream<Pulse>.Continuation
        let cut: @Sendable () -> Void
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
        var silence: [AsyncStream<Never>.Continuation] = []
        var isStopping = false
    }

    private let state = Mutex(State())
    private let sprints: SprintService
    private let teams: any TeamStore
    private let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameters:
    ///   - sprints: ends a team's sprint when its time is over, though nobody else asks.
    ///   - clock: paces the readings.
    public init(sprints: SprintService, teams: any TeamStore, clock: any Clock<Duration> = ContinuousClock()) {
        self.sprints = sprints
        self.teams = teams
        sleep = { try await clock.sleep(for: $0) }
    }

    /// Whether there is room for one more listener.
    /// - Throws: `AppError.tooManyRequests` if the user has as many as one may have, `AppError.unavailable` if the
    ///   process has.
    public func requireRoom(for userID: User.ID) throws(AppError) {
        if let refusal = state.withLock({ Self.refusal(of: userID, in: $0) }) { throw refusal }
    }

    /// Lends what is heard of a team until `body` returns. The latest pulse waits for a listener that is slow; there is
    /// never more than one.
    /// - Parameter cut: ends the listener's connection; called for one that takes nothing any more.
    /// - Throws: as `requireRoom`, and what `body` throws.
    public func listen(
        to teamID: Team.ID, as userID: User.ID, cut: @escaping @Sendable () -> Void,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (PublicationPulses) async throws -> Void
    ) async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Pulse.self, bufferingPolicy: .bufferingNewest(1))
        let listener = Listener(userID: userID, teamID: teamID, pulses: continuation, cut: cut)
        let id = try state.withLock { state throws(AppError) in
            if let refusal = Self.refusal(of: userID, in: state) { throw refusal }
            state.next += 1
            state.listeners[state.next] = listener
            state.counts[userID, default: 0] += 1
            // The others have heard it already, and would be the only ones.
            if let number = state.numbers[teamID] { continuation.yield(Pulse(number: number, check: 0)) }
            state.wake?.resume()
            state.wake = nil
            return state.next
        }
        defer { remove(id) }
        try await body(PublicationPulses(stream: stream, end: { continuation.finish() }))
    }

    /// How many listen now.
    public var listenerCount: Int { state.withLock { $0.listeners.count } }

    /// Returns when nobody listens: a listener that has hung up counts until this process has noticed.
    public func untilNobodyListens() async {
        let (silence, continuation) = AsyncStream.makeStream(of: Never.self)
        state.withLock { state in
            if state.listeners.isEmpty { continuation.finish() } else { state.silence.append(continuation) }
        }
        for await _ in silence {}
    }

    /// Reads on until it is told to stop.
    public func run() async throws {
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
    /// - Returns: false when it is over.
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

    /// - Parameter check: the number of the check that everybody hears of; `nil` if only news are said.
    private func readNumbers(check: Int?) async {
        let teamIDs = state.withLock { state in Set(state.listeners.values.map(\.teamID)) }
        await withTaskGroup(of: Bool.self) { group in
            for (index, teamID) in teamIDs.enumerated() {
                // A store that is away takes seconds to say so, for each team anew.
                if index >= Self.readers, await group.next() == false { break }
                group.addTask { await self.readNumber(of: teamID, check: check) }
            }
        }
        state.withLock { state in
            state.numbers = state.numbers.filter { teamIDs.contains($0.key) }
        }
    }

    /// - Returns: false if the store is away; requests say so, and the next reading is a second away.
    private func readNumber(of teamID: Team.ID, check: Int?) async -> Bool {
        do {
            _ = try await sprints.runningSprint(of: teamID)
            guard let number = try await teams.publicationNumber(of: teamID) else { throw AppError.noSuchTeam }
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
                let result = listener.pulses.yield(Pulse(number: number, check: check ?? 0))
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
        for listener in late { listener.cut() }
    }

    private func endAll(of teamID: Team.ID) {
        let listeners = state.withLock { state in state.listeners.values.filter { $0.teamID == teamID } }
        for listener in listeners { listener.pulses.finish() }
    }

    private func remove(_ id: Int) {
        state.withLock { state in
            guard let listener = state.listeners.removeValue(forKey: id) else { return }
            let count = state.counts[listener.userID, default: 1] - 1
            state.counts[listener.userID] = count > 0 ? count : nil
            guard state.listeners.isEmpty else { return }
            for continuation in state.silence { continuation.finish() }
            state.silence = []
        }
    }

    private static func refusal(of userID: User.ID, in state: State) -> AppError? {
        if state.counts[userID, default: 0] >= maximumPerUser { return .tooManyStreams }
        return state.listeners.count >= maximum ? .streamsFull : nil
    }
}

/// What one listener hears, until it is ended from either side.
public struct PublicationPulses: Sendable {
    /// In order; of those nobody took only the latest.
    public let stream: AsyncStream<PublicationFeed.Pulse>
    /// Ends the stream.
    public let end: @Sendable () -> Void
}

extension AppError {
    /// One user's tabs and devices.
    static let tooManyStreams = AppError(
        .tooManyRequests, "You are listening in too many places at once. Close some of them.",
        reason: "too-many-streams", retryAfter: 30)
    /// Everybody's.
    static let streamsFull = AppError(
        .unavailable, "Too many people are listening right now. Please try again in a moment.", reason: "streams-full",
        retryAfter: 30)
}
