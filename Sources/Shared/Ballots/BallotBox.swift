import Foundation
import Synchronization

/// Casts ballots in groups: all that arrive while a commit is under way share the next one.
///
/// A durable commit costs the same for one ballot as for hundreds, and two transactions on one team's tally only
/// collide. So one thread a partition, teams spread over partitions by hash, takes all that wait, casts them with one
/// call of `BallotStore.cast`, and answers them. There is no timer: a lone ballot is committed at once.
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
            Partition(name: "ballots-\(index)") { try store.cast($0, at: clock.now) }
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
        /// The thread has found nothing to do and sleeps, or is about to.
        var isAsleep = false

        /// Whether the thread has to be woken; true for one caller only.
        mutating func wakes() -> Bool {
            defer { isAsleep = false }
            return isAsleep
        }
    }

    private let state = Mutex(State())
    /// What the thread sleeps on. Signalled once for each sleep, not for each ballot: a commit never waits for a thread
    /// that has put its ballot in and was stopped before it could say so.
    private let alarm = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let commit: @Sendable ([Ballot]) throws -> [BallotOutcome]

    init(name: String, commit: @escaping @Sendable ([Ballot]) throws -> [BallotOutcome]) {
        self.commit = commit
        let thread = Thread { [self] in
            while commitNext() {}
            ended.signal()
        }
        thread.name = name
        thread.start()
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

    func close() {
        let (isFirst, wakes) = state.withLock { state in
            defer { state.isClosed = true }
            return (!state.isClosed, state.wakes())
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
                state.isAsleep = batch.isEmpty && !state.isClosed
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
        let begun = ContinuousClock.now
        do {
            let outcomes = try commit(batch.map(\.ballot))
            let duration = ContinuousClock.now - begun
            for (waiting, outcome) in zip(batch, outcomes) {
                waiting.answer.resume(returning: outcome)
            }
            letBallotsIn(after: batch.count, lasting: duration)
        } catch {
            for waiting in batch {
                waiting.answer.resume(throwing: error)
            }
        }
        return true
    }

    /// Long enough for a client nearby to send its next request.
    private static let look = Duration.microseconds(100)
    /// Looks at most, however long a commit took.
    private static let looks = 6
    /// A look for each part of a commit of this length: where commits are short, waiting costs more than it saves.
    private static let commitPerLook = Duration.microseconds(500)
    /// Ballots over which the fixed cost of a commit is spread thin enough. Waiting for more would only bring everybody
    /// into step: then requests are not read while a commit is under way, and the other way round.
    private static let worthwhile = 32

    /// Gives those who were just answered a moment to bring their next ballot, if others wait already.
    ///
    /// Without it, few connections that vote without a pause fall into two halves, one of which waits while the other is
    /// committed, and every commit is half as large as it could be. It ends when as many have come as were answered or
    /// are worthwhile, and in any case after some looks. Whoever comes alone is never held up: nobody waits then.
    ///
    /// - Parameter duration: of the commit.
    private func letBallotsIn(after answered: Int, lasting duration: Duration) {
        var count = state.withLock { $0.waiting.count }
        guard count > 0 else { return }
        let hoped = min(count + answered, Self.worthwhile)
        let looks = min(Self.looks, 1 + Int(duration / Self.commitPerLook))
        for _ in 0..<looks where count < hoped {
            Thread.sleep(forTimeInterval: Self.look / .seconds(1))
            count = state.withLock { $0.waiting.count }
        }
    }

    private static let overloaded = AppError(
        .unavailable, "Too many votes are coming in right now. Please try again in a moment.", reason: "overloaded",
        retryAfter: 2)
}
