import Foundation
import Synchronization

/// Casts ballots in groups: all that arrive while a commit is under way share the next one.
///
/// A durable commit costs the same for one ballot as for hundreds, and two transactions on one team's tally only
/// collide. So one thread a partition, teams spread over partitions by hash, takes all that wait, casts them with one
/// call of `BallotStore.cast`, and answers them. A lone ballot is committed at once; after a commit of several, whose
/// voters may come again, the next one is held back for them as long as the store says (`BallotStore.gathering`).
public final class BallotBox: Sendable {
    /// Ballots a commit takes at most. Past this a commit gets longer, not cheaper.
    public static let maximumBatch = 256
    /// Ballots that may wait in a partition. At a few thousand a second this is a second or two of waiting; whoever
    /// comes later is better told to come back.
    public static let maximumWaiting = 8_192

    private let partitions: [Partition]

    /// Starts one thread for each partition; `close` ends them.
    public init(store: any BallotStore, partitions: Int, clock: WallClock) {
        self.partitions = (0..<max(1, partitions)).map { index in
            Partition(name: "ballots-\(index)", gathering: store.gathering) { try store.cast($0, at: clock.now) }
        }
    }

    /// Casts one ballot and returns when it is durable or refused.
    /// - Throws: `AppError.unavailable` when too many wait, the store is away or the box is closed.
    public func cast(_ ballot: Ballot) async throws -> BallotOutcome {
        var hasher = Hasher()
        hasher.combine(ballot.sprint.teamID)
        let partition = partitions[Int(UInt(bitPattern: hasher.finalize()) % UInt(partitions.count))]
        return try await withCheckedThrowingContinuation { continuation in
            partition.add(ballot, continuation)
        }
    }

    /// Ballots that wait for a commit, all partitions together. For tests.
    var waitingCount: Int {
        partitions.reduce(0) { $0 + $1.waitingCount }
    }

    /// Commits what waits, answers it, and ends the threads. Blocks until they are done.
    public func close() {
        for partition in partitions { partition.close() }
    }
}

/// One thread and the ballots waiting for it.
private final class Partition: Sendable {
    typealias Waiting = (ballot: Ballot, answer: CheckedContinuation<BallotOutcome, any Error>)

    private struct State {
        var waiting: [Waiting] = []
        var isClosed = false
        /// The thread sleeps until so many wait, or is about to; nil while it is awake.
        var sleepsUntil: Int?

        /// Whether the thread has to be woken; true for one caller only.
        mutating func wakes() -> Bool {
            guard let wanted = sleepsUntil, isClosed || waiting.count >= wanted else { return false }
            sleepsUntil = nil
            return true
        }
    }

    private let state = Mutex(State())
    /// What the thread sleeps on. Signalled once for each sleep, not for each ballot: a commit never waits for a thread
    /// that has put its ballot in and was stopped before it could say so.
    private let alarm = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let gathering: Duration
    private let commit: @Sendable ([Ballot]) throws -> [BallotOutcome]

    init(
        name: String, gathering: Duration, commit: @escaping @Sendable ([Ballot]) throws -> [BallotOutcome]
    ) {
        self.gathering = gathering
        self.commit = commit
        let thread = Thread { [self] in
            while commitNext() {}
            ended.signal()
        }
        thread.start()
        // Not before, or the kernel does not learn it: `top -H` shows who is busy.
        thread.name = name
    }

    func add(_ ballot: Ballot, _ answer: CheckedContinuation<BallotOutcome, any Error>) {
        let result: Result<Bool, AppError> = state.withLock { state in
            if state.isClosed { return .failure(.storeUnavailable) }
            if state.waiting.count >= BallotBox.maximumWaiting { return .failure(Self.overloaded) }
            state.waiting.append((ballot, answer))
            return .success(state.wakes())
        }
        switch result {
        case .success(true): alarm.signal()
        case .success(false): break
        case .failure(let refusal): answer.resume(throwing: refusal)
        }
    }

    var waitingCount: Int { state.withLock { $0.waiting.count } }

    func close() {
        let (isFirst, wakes) = state.withLock { state in
            let isFirst = !state.isClosed
            state.isClosed = true
            return (isFirst, state.wakes())
        }
        if wakes { alarm.signal() }
        if isFirst { ended.wait() }
    }

    /// Everything that waits, up to a batch; sleeps until there is something.
    /// - Returns: `nil` when the partition is closed and nothing waits any more.
    private func nextBatch() -> [Waiting]? {
        while true {
            let (batch, isClosed) = state.withLock { state in
                let batch = Array(state.waiting.prefix(BallotBox.maximumBatch))
                state.waiting.removeFirst(batch.count)
                state.sleepsUntil = batch.isEmpty && !state.isClosed ? 1 : nil
                return (batch, state.isClosed)
            }
            if !batch.isEmpty { return batch }
            if isClosed { return nil }
            alarm.wait()
        }
    }

    /// - Returns: false when the partition is closed and nothing waits any more.
    private func commitNext() -> Bool {
        guard let batch = nextBatch() else { return false }
        do {
            let outcomes = try commit(batch.map(\.ballot))
            // Before the answers: whoever is back sooner than the last one is answered must not count twice.
            let crowd = waitingCount + batch.count
            for (waiting, outcome) in zip(batch, outcomes) {
                waiting.answer.resume(returning: outcome)
            }
            if batch.count > 1 { gather(min(crowd, Self.worthwhile)) }
        } catch {
            for waiting in batch {
                waiting.answer.resume(throwing: error)
            }
        }
        return true
    }

    /// Ballots over which the fixed cost of a commit is spread thin enough.
    private static let worthwhile = 32

    /// Lets those who were just answered bring their next ballot, so that it shares a commit with what waits.
    ///
    /// Without it, few connections that vote without a pause fall into two halves, one of which waits while the other is
    /// committed, and every commit is half as large as it could be. It ends when so many wait as are hoped for, and in
    /// any case after `gathering`. Whoever was committed alone has nobody held up for them.
    private func gather(_ hoped: Int) {
        guard gathering > .zero else { return }
        let sleeps = state.withLock { state in
            guard state.waiting.count < hoped, !state.isClosed else { return false }
            state.sleepsUntil = hoped
            return true
        }
        guard sleeps, alarm.wait(timeout: .now() + gathering / .seconds(1)) == .timedOut else { return }
        let isBeingWoken = state.withLock { state in
            defer { state.sleepsUntil = nil }
            return state.sleepsUntil == nil
        }
        // That signal was meant for this sleep, and must not end a later one.
        if isBeingWoken { alarm.wait() }
    }

    private static let overloaded = AppError(
        .unavailable, "Too many votes are coming in right now. Please try again in a moment.", reason: "overloaded",
        retryAfter: 2)
}
