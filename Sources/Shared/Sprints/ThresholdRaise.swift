/// How the threshold of a running sprint was raised, and whether that can be taken back.
///
/// A raise applies at once. It can be taken back as long as no ballot came in since, because the votes that came later
/// were promised the higher threshold. Whether it can tells one thing: whether somebody has voted since. So a lead may try
/// once in a sprint.
public struct ThresholdRaise: Hashable, Sendable {
    /// The threshold before the raise; `nil` if there was none, or it cannot be taken back any more.
    public private(set) var from: Int?
    /// Ballots counted at the moment of the raise.
    public private(set) var ballots: Int
    /// Whether somebody has tried to take a raise back in this sprint.
    public private(set) var isSpent: Bool

    /// No raise, or one as a store keeps it.
    public init(from: Int? = nil, ballots: Int = 0, isSpent: Bool = false) {
        self.from = from
        self.ballots = ballots
        self.isSpent = isSpent
    }

    /// Notes a change of the team's setting.
    /// - Parameters:
    ///   - wanted: the team's setting from now on.
    ///   - threshold: the one in force.
    ///   - count: ballots counted now.
    /// - Returns: the threshold in force from now on.
    mutating func change(to wanted: Int, from threshold: Int, ballots count: Int) -> Int {
        if wanted > threshold {
            // Of two raises without a ballot between them, the first one's past is what can be gone back to.
            if !isSpent, from == nil || ballots != count {
                from = threshold
                ballots = count
            }
            return wanted
        }
        guard wanted < threshold, let from else { return threshold }
        defer {
            self.from = nil
            isSpent = true
        }
        return ballots == count ? max(wanted, from) : threshold
    }
}

extension SprintRecord {
    /// The threshold in force, and how it came to be, after the team's setting was changed while the sprint is open.
    func changingThreshold(to wanted: Int) -> (threshold: Int, raise: ThresholdRaise) {
        var raise = raise
        let threshold = raise.change(to: wanted, from: sprint.threshold, ballots: state.current.count)
        return (threshold, raise)
    }
}
