import Commitments
import Domain
import Foundation
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Services

/// The group commit on a real SQLite store.
@Suite(.timeLimit(.minutes(5))) struct BallotBoxTests {
    /// Longer than a test may take, so that a ballot delayed that long fails the test, but not so long that the other
    /// tests have to wait for it.
    private static let endless = Duration.seconds(330)

    @Test(.thorough) func `Five hundred ballots at once are all counted exactly and share commits`() async throws {
        try await Self.withBox(members: 500) { fixture in
            let outcomes = try await fixture.castAtOnce(fixture.team.members.enumerated().map { ($1, $0 % 101) })
            #expect(outcomes.allSatisfy { $0.isCounted })
            let tally = try await fixture.tally()
            #expect(tally.count == 500)
            #expect(tally.sum == (0..<500).reduce(0) { $0 + $1 % 101 })
            #expect(tally.distribution.reduce(0, +) == 500)
            #expect(fixture.store.commits < 500, "ballots that arrive during a commit share the next one")
        }
    }

    @Test func `Two hundred ballots of one person count once`() async throws {
        try await Self.withBox(members: 2) { fixture in
            let outcomes = try await fixture.castAtOnce((0..<200).map { _ in (fixture.team.members[0], 70) })
            #expect(outcomes.count(where: \.isCounted) == 1)
            #expect(outcomes.count { $0 == .alreadyVoted } == 199)
            #expect(try await fixture.tally().count == 1)
        }
    }

    @Test func `When too many wait, the next is told to come back and nobody else is harmed`() async throws {
        try await Self.withBox(members: 1) { fixture in
            fixture.store.hold()
            let member = fixture.team.members[0]
            let ballot = try fixture.team.ballot(of: member, in: fixture.sprint)
            async let first = fixture.box.cast(ballot)
            await fixture.store.untilACommitBegins()

            let tooMany = 7
            let box = fixture.box
            let outcomes = await withTaskGroup { group in
                for _ in 0..<(BallotBox.maximumWaiting + tooMany) {
                    group.addTask { await Self.result { try await box.cast(ballot) } }
                }
                var outcomes: [Result<BallotOutcome, AppError>] = []
                for await outcome in group {
                    outcomes.append(outcome)
                    // Rejected ballots get their result while the others still wait.
                    if outcomes.count == tooMany { fixture.store.release() }
                }
                return outcomes
            }
            let refusals = outcomes.prefix(tooMany).map { $0.rejection }
            #expect(refusals.allSatisfy { $0?.code == .unavailable && $0?.reason == .overloaded })
            #expect(refusals.allSatisfy { ($0?.retryAfter ?? 0) > 0 })
            #expect(outcomes.dropFirst(tooMany).allSatisfy { $0 == .success(.alreadyVoted) })
            #expect(try await first.isCounted)
            #expect(try await fixture.tally().count == 1)
        }
    }

    @Test func `Closing commits waiting ballots and refuses later ones`() async throws {
        try await Self.withBox(members: 100) { fixture in
            fixture.store.hold()
            let (box, team, sprint) = (fixture.box, fixture.team, fixture.sprint)
            async let first = box.cast(try team.ballot(of: team.members[0], in: sprint))
            await fixture.store.untilACommitBegins()
            let outcomes = await withTaskGroup { group in
                for member in team.members.dropFirst() {
                    group.addTask {
                        await Self.result { try await box.cast(try team.ballot(of: member, in: sprint)) }
                    }
                }
                group.addTask {
                    await withCheckedContinuation { continuation in
                        Thread.detachNewThread {
                            fixture.store.release()
                            box.close()
                            continuation.resume()
                        }
                    }
                    return .success(.alreadyVoted)
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(try await first.isCounted)
            let counted = outcomes.count { (try? $0.get())?.isCounted == true }
            let refused = outcomes.count { $0.rejection == .storeUnavailable }
            #expect(counted + refused == 99, "every voter gets an answer")
            #expect(try await fixture.tally().count == counted + 1, "and it is true")
            let late = await Self.result { try await box.cast(try team.ballot(of: team.members[1], in: sprint)) }
            #expect(late.rejection == .storeUnavailable)
        }
    }

    @Test func `A store's error fails all waiting ballots, and the box continues`() async throws {
        try await Self.withBox(members: 60) { fixture in
            let (box, team, sprint) = (fixture.box, fixture.team, fixture.sprint)
            fixture.store.fail(with: .unavailable)
            let outcomes = await withTaskGroup { group in
                for member in team.members {
                    group.addTask {
                        await Self.result { try await box.cast(try team.ballot(of: member, in: sprint)) }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.allSatisfy { $0.rejection == .storeUnavailable })
            #expect(try await fixture.tally().count == 0)
            fixture.store.fail(with: nil)
            let again = try await fixture.castAtOnce(team.members.map { ($0, 50) })
            #expect(again.allSatisfy { $0.isCounted })
        }
    }

    @Test func `Voters answered together also share the next commit`() async throws {
        try await Self.withBox(members: 5, gathering: Self.endless) { fixture in
            try await fixture.commitOneAndThenTwoTogether()
            async let third = fixture.cast(3)
            await fixture.untilWaiting(1)
            async let fourth = fixture.cast(4)
            #expect(try await third.isCounted)
            #expect(try await fourth.isCounted)
            #expect(fixture.store.commits == 3, "the third waited for the fourth")
        }
    }

    @Test func `A ballot that comes alone is never held back`() async throws {
        try await Self.withBox(members: 5, gathering: Self.endless) { fixture in
            for member in 0..<5 {
                let outcome = try await fixture.cast(member)
                #expect(outcome.isCounted)
            }
            #expect(fixture.store.commits == 5)
        }
    }

    @Test func `A ballot that comes after several is only held back for a while`() async throws {
        try await Self.withBox(members: 5, gathering: .milliseconds(20)) { fixture in
            try await fixture.commitOneAndThenTwoTogether()
            #expect(try await fixture.cast(3).isCounted)
            #expect(try await fixture.cast(4).isCounted)
            #expect(fixture.store.commits == 4)
        }
    }

    @Test func `Closing holds nobody back`() async throws {
        try await Self.withBox(members: 5, gathering: Self.endless) { fixture in
            try await fixture.commitOneAndThenTwoTogether()
            async let third = fixture.cast(3)
            await fixture.untilWaiting(1)
            fixture.box.close()
            #expect(try await third.isCounted)
        }
    }

    private static func result(
        _ body: () async throws -> BallotOutcome
    ) async -> Result<BallotOutcome, AppError> {
        do {
            return .success(try await body())
        } catch {
            if let rejection = AppError(error) { return .failure(rejection) }
            Issue.record(error)
            return .failure(AppError(.unavailable, "\(error)"))
        }
    }

    private static func withBox(
        members: Int, gathering: Duration = .zero, _ body: (BoxFixture) async throws -> Void
    ) async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            let team = try await TestTeam.make(in: stores, members: members)
            let clock = SettableClock(TestTeam.firstMonday + TestTeam.day).wall
            let sprints = SprintService(stores: stores, secret: TestTeam.secret, clock: clock)
            let sprint = try await sprints.runningSprint(of: team.team.id)
            let store = HeldBallotStore(stores.ballots, gathering: gathering)
            let box = BallotBox(store: store, partitions: 3, clock: clock)
            defer { box.close() }
            try await body(BoxFixture(team: team, sprint: sprint.key, store: store, box: box))
        }
    }
}

private struct BoxFixture {
    let team: TestTeam
    let sprint: Sprint.Key
    let store: HeldBallotStore
    let box: BallotBox

    func tally() async throws -> Tally {
        try #require(try await team.stores.sprint(sprint)).state.current
    }

    func cast(_ member: Int) async throws -> BallotOutcome {
        try await box.cast(try team.ballot(of: team.members[member], in: sprint))
    }

    /// Returns once `count` ballots are queued, or when the test's time is over.
    func untilWaiting(_ count: Int) async {
        while box.waitingCount != count, !Task.isCancelled { await Task.yield() }
    }

    /// Two commits: the first member's ballot, and those of the next two, who arrived meanwhile.
    func commitOneAndThenTwoTogether() async throws {
        store.hold()
        async let first = cast(0)
        await store.untilACommitBegins()
        async let second = cast(1)
        async let third = cast(2)
        await untilWaiting(2)
        store.release()
        let outcomes = try await [first, second, third]
        #expect(outcomes.allSatisfy { $0.isCounted })
        #expect(store.commits == 2)
    }

    func castAtOnce(_ ballots: [(member: Principal, tenths: Int)]) async throws -> [BallotOutcome] {
        try await withThrowingTaskGroup { group in
            for (member, tenths) in ballots {
                group.addTask { [box, team, sprint] in
                    try await box.cast(try team.ballot(of: member, in: sprint, tenths: tenths))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}

/// A real store whose commits a test can delay or fail.
private final class HeldBallotStore: BallotStore {
    private struct State {
        var commits = 0
        var error: StorageError?
        var isHeld = false
    }

    let gathering: Duration
    private let store: any BallotStore
    private let state = Mutex(State())
    private let gate = DispatchSemaphore(value: 0)
    private let (beginnings, begin) = AsyncStream.makeStream(of: Void.self)

    init(_ store: any BallotStore, gathering: Duration) {
        self.store = store
        self.gathering = gathering
    }

    var commits: Int { state.withLock { $0.commits } }

    /// Makes the next commit wait for `release`.
    func hold() {
        state.withLock { $0.isHeld = true }
    }

    func release() {
        gate.signal()
    }

    func untilACommitBegins() async {
        for await _ in beginnings { break }
    }

    func fail(with error: StorageError?) {
        state.withLock { $0.error = error }
    }

    func cast(_ entries: [BallotBoxEntry], at now: Date) throws -> [BallotOutcome] {
        let (isHeld, error) = state.withLock { state in
            defer { state.isHeld = false }
            state.commits += 1
            return (state.isHeld, state.error)
        }
        if isHeld {
            begin.yield()
            gate.wait()
        }
        if let error { throw error }
        return try store.cast(entries, at: now)
    }

    func outcome(of request: PaperRequest, at now: Date) async throws -> BallotOutcome {
        try await store.outcome(of: request, at: now)
    }
    func existing(among receipts: [Receipt]) async throws -> Set<Receipt> {
        try await store.existing(among: receipts)
    }
    func close(_ key: Sprint.Key) async throws -> Bool { try await store.close(key) }
    func closeEarly(_ key: Sprint.Key, secret: BallotSecret) async throws -> Bool {
        try await store.closeEarly(key, secret: secret)
    }
    func clear(_ key: Sprint.Key, secret: BallotSecret) async throws { try await store.clear(key, secret: secret) }
    func deleteFeedback(ofSprintsEndedBefore instant: Date) async throws {
        try await store.deleteFeedback(ofSprintsEndedBefore: instant)
    }
    func commitments(of key: Sprint.Key, publishedNumber: Int) async throws -> [Commitment] {
        try await store.commitments(of: key, publishedNumber: publishedNumber)
    }
    func feedback(
        of key: Sprint.Key, publishedNumber: Int, secret: BallotSecret, after: Feedback.ID?, limit: Int
    ) async throws -> [Feedback] {
        try await store.feedback(
            of: key, publishedNumber: publishedNumber, secret: secret, after: after, limit: limit)
    }
    func feedback(
        teamID: Team.ID, publishedNumbers: [Date: Int], secret: BallotSecret
    ) async throws -> [Date: [Feedback]] {
        try await store.feedback(teamID: teamID, publishedNumbers: publishedNumbers, secret: secret)
    }
}

extension BallotOutcome {
    fileprivate var isCounted: Bool {
        if case .counted = self { true } else { false }
    }
}

extension Result where Failure == AppError {
    fileprivate var rejection: AppError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
