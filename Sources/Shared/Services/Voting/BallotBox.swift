package import Domain
import Foundation
package import Ports
package import Storage
import Synchronization

/// Casts ballots in groups: all that arrive during a commit share the next one.
///
/// A durable commit costs the same for one ballot as for hundreds, and two transactions on one team's tally only
/// collide. So there is one thread per partition, with teams spread over partitions by hash. It takes all waiting
/// ballots, casts them with one call of `BallotStore.cast`, and returns the outcomes. A single ballot is committed
/// immediately. After a commit of several, whose voters may vote again, the next one is delayed as long as the store
/// asks for (`BallotStore.gathering`).
package final class BallotBox: Sendable {
    /// Maximum number of ballots per commit. Beyond it a commit gets longer, not cheaper.
    package static let maximumBatch = 256
    /// Maximum number of ballots waiting in a partition. At a few thousand per second this means a second or two of
    /// waiting; later callers had better retry.
    package static let maximumWaiting = 8_192

    private let partitions: [Partition]

    /// Starts one thread for each partition; `close` ends them.
    package init(store: any BallotStore, partitions: Int, clock: WallClock) {
        self.partitions = (0..<max(1, partitions)).map { index in
            Partition(name: "ballots-\(index)", gathering: store.gathering) { try store.cast($0, at: clock.now) }
        }
    }

    /// Casts one ballot, or notes that a member gets a paper; returns once that is durable or rejected.
    /// - Throws: `AppError.unavailable` if too many ballots wait, the store is unavailable or the box is closed.
    package func cast(_ entry: BallotBoxEntry) async throws -> BallotOutcome {
        var hasher = Hasher()
        hasher.combine(entry.sprint.teamID)
        let partition = partitions[Int(UInt(bitPattern: hasher.finalize()) % UInt(partitions.count))]
        return try await withCheckedThrowingContinuation { continuation in
            partition.add(entry, continuation)
        }
    }

    /// Casts one ballot; as the other `cast`.
    package func cast(_ ballot: Ballot) async throws -> BallotOutcome {
        try await cast(.ballot(ballot))
    }

    /// Number of waiting ballots in all partitions. For tests.
    var waitingCount: Int {
        partitions.reduce(0) { $0 + $1.waitingCount }
    }

    /// Commits the waiting ballots, returns their outcomes, and ends the threads. Blocks until they are done.
    package func close() {
        for partition in partitions { partition.close() }
    }
}

/// One thread with its waiting ballots.
private final class Partition: Sendable {
    typealias Waiting = (entry: BallotBoxEntry, answer: CheckedContinuation<BallotOutcome, any Error>)

    private struct State {
        var waiting: [Waiting] = []
        var isClosed = false
        /// The number of waiting ballots for which the thread sleeps, or is about to; nil while it is awake.
        var sleepsUntil: Int?

        /// Whether the caller must wake the thread; true for exactly one caller.
        mutating func wakes() -> Bool {
            guard let wanted = sleepsUntil, isClosed || waiting.count >= wanted else { return false }
            sleepsUntil = nil
            return true
        }
    }

    private let state = Mutex(State())
    /// The thread sleeps on it. Signalled once per sleep instead of once per ballot: a commit never waits for a
    /// caller's thread that has added its ballot but was suspended before it could signal.
    private let alarm = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let gathering: Duration
    private let commit: @Sendable ([BallotBoxEntry]) throws -> [BallotOutcome]

    init(
        name: String, gathering: Duration, commit: @escaping @Sendable ([BallotBoxEntry]) throws -> [BallotOutcome]
    ) {
        self.gathering = gathering
        self.commit = commit
        let thread = Thread { [self] in
            while commitNext() {}
            ended.signal()
        }
        thread.start()
        // Set from within the thread, or the kernel does not see the name. It lets `top -H` show which pool is busy.
        thread.name = name
    }

    func add(_ entry: BallotBoxEntry, _ answer: CheckedContinuation<BallotOutcome, any Error>) {
        let result: Result<Bool, AppError> = state.withLock { state in
            if state.isClosed { return .failure(.storeUnavailable) }
            if state.waiting.count >= BallotBox.maximumWaiting { return .failure(Self.overloaded) }
            state.waiting.append((entry, answer))
            return .success(state.wakes())
        }
        switch result {
        case .success(true): alarm.signal()
        case .success(false): break
        case .failure(let rejection): answer.resume(throwing: rejection)
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

    /// All waiting ballots, up to a full batch; sleeps until there are any.
    /// - Returns: `nil` if the partition is closed and no ballot is waiting.
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

    /// - Returns: false if the partition is closed and no ballot is waiting.
    private func commitNext() -> Bool {
        guard let batch = nextBatch() else { return false }
        do {
            let outcomes = try commit(batch.map(\.entry))
            // Read before the outcomes are returned: a voter who comes back before the last outcome is delivered must
            // not be counted twice.
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

    /// Number of ballots that spreads the fixed cost of a commit thinly enough.
    private static let worthwhile = 32

    /// Waits for the next ballots of voters who just got their outcome, so that they share a commit with the waiting
    /// ones.
    ///
    /// Without it, a few connections that vote without a pause split into two halves: one waits while the other is
    /// committed, and every commit is half as large as it could be. It ends once the expected number is queued, and in
    /// any case after `gathering`. After a commit of a single ballot there is no wait.
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
        .unavailable, "Too many votes are coming in right now. Please try again in a moment.", reason: .overloaded,
        retryAfter: 2)
}
