import Domain
import TestSupport
import Testing

/// The anonymity rules of `PublicationState` against random sequences of events in a sprint.
@Suite struct PublicationStateTests {
    @Test(arguments: [PublicationPolicy.live, .close])
    func `Any two published states differ by at least the threshold in force`(policy: PublicationPolicy) {
        for seed in 0..<3_000 {
            let run = RandomSprint(policy: policy, seed: UInt64(seed))
            for (index, later) in run.publications.enumerated() {
                #expect(later.tally.count >= later.threshold, "seed \(seed)")
                for earlier in run.publications[..<index] {
                    #expect(later.tally.count - earlier.tally.count >= later.threshold, "seed \(seed)")
                }
            }
        }
    }

    @Test(arguments: PublicationPolicy.allCases)
    func `The end publishes everything, unless that would isolate too few`(policy: PublicationPolicy) {
        for seed in 0..<3_000 {
            let run = RandomSprint(policy: policy, seed: UInt64(seed))
            let left = run.state.current.count - run.lastRunningPublication.count
            let mayPublish = policy == .immediate || left >= run.threshold
            #expect(run.state.isClosed)
            #expect(
                run.state.published == (mayPublish ? run.state.current : run.lastRunningPublication), "seed \(seed)")
        }
    }

    @Test(arguments: PublicationPolicy.allCases)
    func `A published state is one that was counted`(policy: PublicationPolicy) {
        for seed in 0..<1_000 {
            let run = RandomSprint(policy: policy, seed: UInt64(seed))
            for publication in run.publications {
                #expect(publication.tally == Tally(of: run.ballots.prefix(publication.tally.count)), "seed \(seed)")
            }
        }
    }

    @Test(.thorough, arguments: PublicationPolicy.allCases)
    func `Feedback is readable exactly when its ballot is published`(policy: PublicationPolicy) {
        for seed in 0..<3_000 {
            let run = RandomSprint(policy: policy, seed: UInt64(seed))
            for moment in run.moments {
                for (index, number) in run.feedbackNumbers.prefix(moment.counted).enumerated() {
                    #expect((number <= moment.publishedNumber) == (index < moment.published), "seed \(seed)")
                }
            }
        }
    }

    /// The observer sees every published state and knows who voted when. Swapping values within a group that was
    /// published together does not change any published state, and every group has at least k ballots: so even an
    /// observer who knows the values of k - 2 members cannot infer that of another one.
    @Test(arguments: [PublicationPolicy.live, .close])
    func `An observer of all published states cannot tell the values within a group apart`(policy: PublicationPolicy) {
        for seed in 0..<2_000 {
            let run = RandomSprint(policy: policy, seed: UInt64(seed))
            var generator = SeededGenerator(seed: UInt64(seed))
            var exchanged = run.ballots
            var start = 0
            for publication in run.publications {
                let group = start..<publication.tally.count
                #expect(group.count >= publication.threshold)
                exchanged[group].shuffle(using: &generator)
                start = group.upperBound
            }
            let other = RandomSprint(policy: policy, seed: UInt64(seed), values: exchanged)
            #expect(other.publications.map(\.tally) == run.publications.map(\.tally), "seed \(seed)")
        }
    }

    /// Unpublished ballots leave no trace in what is published, not even of their existence.
    @Test func `Ballots that stay unpublished do not show in published ones`() throws {
        for seed in 0..<2_000 {
            let run = RandomSprint(policy: .live, seed: UInt64(seed))
            let published = run.state.published.count
            let other = try run.ballots.enumerated().map { index, value in
                index < published ? value : try Happiness(tenths: 100 - value.tenths)
            }
            let changed = RandomSprint(policy: .live, seed: UInt64(seed), values: other)
            #expect(changed.publications.map(\.tally) == run.publications.map(\.tally), "seed \(seed)")
        }
    }

    @Test func `The live policy withholds the latest group`() throws {
        var state = PublicationState.initial
        for count in 1...20 {
            state.count([try Happiness(tenths: 70)], policy: .live, threshold: 3)
            #expect(state.published.count == max(0, count / 3 - 1) * 3)
        }
    }

    @Test func `The close policy shows nothing before the end`() throws {
        var state = PublicationState.initial
        for _ in 1...20 {
            state.count([try Happiness(tenths: 70)], policy: .close, threshold: 3)
            #expect(state.published == .empty && state.publishedNumber == 0)
        }
        state.close(policy: .close, threshold: 3)
        #expect(state.published.count == 20)
    }

    @Test func `The immediate policy shows every ballot at once`() throws {
        var state = PublicationState.initial
        for count in 1...20 {
            state.count([try Happiness(tenths: 70)], policy: .immediate, threshold: 3)
            #expect(state.published.count == count)
        }
    }

    @Test(arguments: [PublicationPolicy.live, .close])
    func `Below the threshold, nothing is ever published`(policy: PublicationPolicy) throws {
        for threshold in 2...50 {
            var state = PublicationState.initial
            for _ in 1..<threshold {
                state.count([try Happiness(tenths: 70)], policy: policy, threshold: threshold)
            }
            state.close(policy: policy, threshold: threshold)
            #expect(state.published == .empty && state.publishedNumber == 0)
        }
    }

    @Test func `A raised threshold skips a pending snapshot too close to what is visible`() throws {
        var state = PublicationState.initial
        let values = try (0..<30).map { try Happiness(tenths: $0) }
        state.count(Array(values[0..<3]), policy: .live, threshold: 3)
        state.count(Array(values[3..<6]), policy: .live, threshold: 3)
        #expect(state.published.count == 3 && state.snapshot.count == 6)
        state.count(Array(values[6..<11]), policy: .live, threshold: 5)
        #expect(state.published.count == 3 && state.snapshot.count == 11, "six and three differ by less than five")
        state.count(Array(values[11..<16]), policy: .live, threshold: 5)
        #expect(state.published.count == 11)
    }

    @Test func `Closing twice changes nothing`() throws {
        var state = PublicationState.initial
        state.count(try (0..<4).map { try Happiness(tenths: $0) }, policy: .live, threshold: 3)
        state.close(policy: .live, threshold: 3)
        let closed = state
        state.close(policy: .immediate, threshold: 2)
        #expect(state == closed)
    }

    @Test func `An empty batch changes nothing`() {
        var state = PublicationState.initial
        state.count([], policy: .immediate, threshold: 3)
        #expect(state == .initial)
    }
}

/// A sprint's life derived from a seed: batches of ballots, raises of the threshold, the end. The same seed gives the
/// same sequence of events, whatever the values.
private struct RandomSprint {
    /// The states that members see from some moment on.
    struct Publication {
        let tally: Tally
        /// The threshold k in force at that moment.
        let threshold: Int
    }

    /// The state after an event.
    struct Moment {
        let counted: Int
        let published: Int
        let publishedNumber: Int
    }

    private(set) var state = PublicationState.initial
    private(set) var threshold: Int
    /// Values in the order in which they were cast.
    private(set) var ballots: [Happiness] = []
    /// The number stored with each ballot's feedback: that of the next snapshot when its batch begins.
    private(set) var feedbackNumbers: [Int] = []
    private(set) var publications: [Publication] = []
    private(set) var moments: [Moment] = []
    private(set) var lastRunningPublication = Tally.empty

    init(policy: PublicationPolicy, seed: UInt64, values: [Happiness]? = nil) {
        var generator = SeededGenerator(seed: seed)
        threshold = Int.random(in: 2...6, using: &generator)
        for _ in 0..<Int.random(in: 0...14, using: &generator) {
            if Int.random(in: 0..<6, using: &generator) == 0 {
                threshold += Int.random(in: 1...4, using: &generator)
            }
            let size = Int.random(in: 0..<3, using: &generator) == 0 ? Int.random(in: 2...9, using: &generator) : 1
            let drawn = (0..<size).compactMap { _ in try? Happiness(tenths: .random(in: 0...100, using: &generator)) }
            let batch = values.map { Array($0[ballots.count..<ballots.count + size]) } ?? drawn
            feedbackNumbers += batch.map { _ in state.snapshotNumber + 1 }
            ballots += batch
            state.count(batch, policy: policy, threshold: threshold)
            record()
        }
        lastRunningPublication = state.published
        state.close(policy: policy, threshold: threshold)
        record()
    }

    private mutating func record() {
        moments.append(
            Moment(
                counted: state.current.count, published: state.published.count, publishedNumber: state.publishedNumber))
        guard state.published != (publications.last?.tally ?? .empty) else { return }
        publications.append(Publication(tally: state.published, threshold: threshold))
    }
}

extension Tally {
    fileprivate init(of values: some Sequence<Happiness>) {
        self = .empty
        for value in values { add(value) }
    }
}
