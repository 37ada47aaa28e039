package import Commitments

/// A sprint's ballots as counted, as of the last snapshot, and as published to the team.
///
/// The only place that decides what is published. It guarantees that any two published states, including the final one,
/// differ by at least k ballots, so that no comparison of two states isolates fewer than k people (`immediate`
/// deliberately gives that up).
///
/// Under `live` a snapshot is taken when k ballots have arrived since the last one, and taking it publishes the
/// *previous* one. Publishing immediately would leave one or two ballots for the end in half of all sprints, and the
/// difference between the last published state and the final one would reveal them.
package struct PublicationState: Hashable, Sendable {
    /// All counted ballots.
    package private(set) var current: Tally
    /// The ballots counted when the last snapshot was taken; not yet visible.
    package private(set) var snapshot: Tally
    /// Number of snapshots taken. New ballots belong to number `snapshotNumber + 1`.
    package private(set) var snapshotNumber: Int
    /// The part visible to members; empty while nothing is published.
    package private(set) var published: Tally
    /// The number of the published snapshot, 0 for none. Feedback up to this number is visible.
    package private(set) var publishedNumber: Int
    /// Whether counting and publishing have ended.
    package private(set) var isClosed: Bool

    /// A sprint without votes.
    package static let initial = PublicationState(
        current: .empty, snapshot: .empty, snapshotNumber: 0, published: .empty, publishedNumber: 0, isClosed: false)

    /// Restores a stored state.
    package init(
        current: Tally, snapshot: Tally, snapshotNumber: Int, published: Tally, publishedNumber: Int, isClosed: Bool
    ) {
        self.current = current
        self.snapshot = snapshot
        self.snapshotNumber = snapshotNumber
        self.published = published
        self.publishedNumber = publishedNumber
        self.isClosed = isClosed
    }

    /// Counts values that arrive together and publishes what may then be published.
    /// - Parameters:
    ///   - randomness: the sum of their blinding factors.
    ///   - threshold: the k now in force; it may have been raised since the last call.
    /// - Precondition: the state is not closed.
    package mutating func count(
        _ values: [Happiness], randomness: BlindingFactor = .zero, policy: PublicationPolicy, threshold: Int
    ) {
        precondition(!isClosed, "a closed sprint takes no ballots")
        guard !values.isEmpty else { return }
        for value in values {
            current.add(value)
        }
        current.add(randomness)
        switch policy {
        case .close:
            break
        case .immediate:
            takeSnapshot()
            publishSnapshot()
        case .live:
            guard current.count - snapshot.count >= threshold else { return }
            // After k was raised, the pending snapshot may be too close to the visible state. Then it is skipped, and
            // the snapshot taken now, which includes it, replaces it.
            if snapshot.count - published.count >= threshold {
                publishSnapshot()
            }
            takeSnapshot()
        }
    }

    /// Closes the sprint. Everything is published if that adds at least k ballots to the visible state; fewer stay
    /// unpublished for good.
    package mutating func close(policy: PublicationPolicy, threshold: Int) {
        guard !isClosed else { return }
        isClosed = true
        let isFarEnough = current.count - published.count >= threshold
        guard policy == .immediate ? current != published : isFarEnough else { return }
        takeSnapshot()
        publishSnapshot()
    }

    /// Whether closing now would leave no ballot unpublished. Later ballots do not change that.
    func wouldPublishEverything(policy: PublicationPolicy, threshold: Int) -> Bool {
        var closed = self
        closed.close(policy: policy, threshold: threshold)
        return closed.published == current
    }

    /// The part of the distribution that members may see in addition to count and sum; `nil` if none.
    ///
    /// Nothing under `live`: in most small teams the sums of the groups, together with the distribution of all of them,
    /// have only one solution. Under `close`, only one state is ever published. Its distribution is shown if even
    /// members who know k - 1 of the ballots, their own and those of people who tell them, can infer nothing about any
    /// other ballot, either from the distribution or from its absence: after removing any k - 1 ballots, the remaining
    /// ones must lie `leastSpread` apart. If they do not, other values with the same sum would be withheld as well, so
    /// that withholding reveals no value either (`DistributionAttack` tries all possibilities). `immediate` guarantees
    /// nothing.
    func visibleDistribution(policy: PublicationPolicy, threshold: Int) -> [Int]? {
        guard published.count >= Self.leastForDistribution else { return nil }
        switch policy {
        case .immediate: return published.distribution
        case .live: return nil
        case .close:
            guard isClosed, published.isSpread(over: Self.leastSpread, without: threshold - 1) else { return nil }
            return published.distribution
        }
    }

    /// Minimum number of ballots for a distribution: among three people it would tell each what the other two said.
    package static let leastForDistribution = 5
    /// Columns between the lowest and the highest ballot, whichever k - 1 are removed.
    private static let leastSpread = 3

    private mutating func takeSnapshot() {
        snapshot = current
        snapshotNumber += 1
    }

    private mutating func publishSnapshot() {
        published = snapshot
        publishedNumber = snapshotNumber
    }
}
