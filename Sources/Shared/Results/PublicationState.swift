/// A sprint's ballots as they are counted, as they were at the last snapshot, and as the team may see them.
///
/// The one place that decides what is published. The rule it keeps: two states that were ever published differ by
/// at least k ballots, the final one included, so that no comparison of two states isolates fewer than k people
/// (`immediate` gives that up knowingly).
///
/// Under `live` a snapshot is taken when k ballots came since the last one, and taking it publishes the one *before*.
/// Publishing at once would leave one or two ballots over for the end in half of all sprints, and the difference
/// between the last published state and the final one would be theirs.
public struct PublicationState: Hashable, Sendable {
    /// What is counted.
    public private(set) var current: Tally
    /// What was counted when the last snapshot was taken; not yet visible.
    public private(set) var snapshot: Tally
    /// How many snapshots were taken. Ballots that come now belong to number `snapshotNumber + 1`.
    public private(set) var snapshotNumber: Int
    /// What members may see; empty while nothing is.
    public private(set) var published: Tally
    /// The snapshot that is published, 0 for none. Feedback of this number and below may be seen.
    public private(set) var publishedNumber: Int
    /// Nothing is counted or published any more.
    public private(set) var isClosed: Bool

    /// A sprint nobody has voted in yet.
    public static let initial = PublicationState(
        current: .empty, snapshot: .empty, snapshotNumber: 0, published: .empty, publishedNumber: 0, isClosed: false)

    /// A state as a store kept it.
    public init(
        current: Tally, snapshot: Tally, snapshotNumber: Int, published: Tally, publishedNumber: Int, isClosed: Bool
    ) {
        self.current = current
        self.snapshot = snapshot
        self.snapshotNumber = snapshotNumber
        self.published = published
        self.publishedNumber = publishedNumber
        self.isClosed = isClosed
    }

    /// Counts values that arrive together and publishes what may be published then.
    /// - Parameter threshold: the k in force now; it may have been raised since the last call.
    /// - Precondition: the state is not closed.
    public mutating func count(_ values: [Happiness], policy: PublicationPolicy, threshold: Int) {
        precondition(!isClosed, "a closed sprint takes no ballots")
        guard !values.isEmpty else { return }
        for value in values {
            current.add(value)
        }
        switch policy {
        case .close:
            break
        case .immediate:
            takeSnapshot()
            publishSnapshot()
        case .live:
            guard current.count - snapshot.count >= threshold else { return }
            // A raised k can have made the pending snapshot too close to what is visible: then it is passed over,
            // and the one taken now, which includes it, takes its turn.
            if snapshot.count - published.count >= threshold {
                publishSnapshot()
            }
            takeSnapshot()
        }
    }

    /// Ends the sprint. Everything is published if that adds at least k ballots to what is visible; fewer stay
    /// unpublished for good.
    public mutating func close(policy: PublicationPolicy, threshold: Int) {
        guard !isClosed else { return }
        isClosed = true
        let isFarEnough = current.count - published.count >= threshold
        guard policy == .immediate ? current != published : isFarEnough else { return }
        takeSnapshot()
        publishSnapshot()
    }

    /// Whether closing now would leave no ballot unpublished. Ballots that come later do not make it untrue.
    func wouldPublishEverything(policy: PublicationPolicy, threshold: Int) -> Bool {
        var closed = self
        closed.close(policy: policy, threshold: threshold)
        return closed.published == current
    }

    /// What of the distribution members may see beside count and sum; `nil` if nothing.
    ///
    /// Nothing under `live`: the sums of the groups, and the distribution of all of them together, have one solution in
    /// most small teams. Under `close`, where one state is ever published, it is shown if even those who know k - 1 of the
    /// ballots, their own and those of people who tell them, cannot tell any other one from it, nor from its absence:
    /// after leaving out any k - 1 ballots, those that are left must lie `leastSpread` apart. If they do not, other
    /// values with the same sum would be withheld just the same, so that withholding tells nobody's value either
    /// (`DistributionAttack` tries all possibilities). `immediate` promises nothing.
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

    /// Ballots from which a distribution is shown: among three people it tells each what the other two said.
    public static let leastForDistribution = 5
    /// Columns of a distribution between the lowest and the highest ballot, whichever k - 1 are left out.
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
