/// How the threshold of a running sprint was raised, and whether that can be undone.
///
/// A raise applies immediately. It can be undone only while no ballot has been accepted since, because later votes were
/// promised the higher threshold. Whether an attempt succeeds reveals whether a member has voted since, so a lead may
/// try once per sprint.
package struct ThresholdRaise: Hashable, Sendable {
    /// The threshold before the raise; `nil` if there was none, or it can no longer be undone.
    package private(set) var from: Int?
    /// Number of ballots counted when it was raised.
    package private(set) var ballots: Int
    /// Whether a lead has tried to undo a raise in this sprint.
    package private(set) var isSpent: Bool

    /// By default no raise; otherwise as a store keeps it.
    package init(from: Int? = nil, ballots: Int = 0, isSpent: Bool = false) {
        self.from = from
        self.ballots = ballots
        self.isSpent = isSpent
    }

    /// Applies a change of the team's setting.
    /// - Parameters:
    ///   - wanted: the team's new setting.
    ///   - threshold: the one in force.
    ///   - count: number of ballots counted so far.
    /// - Returns: the threshold in force after the change.
    mutating func change(to wanted: Int, from threshold: Int, ballots count: Int) -> Int {
        if wanted > threshold {
            // After two raises without a ballot in between, undoing restores the threshold before the first.
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
    /// The threshold in force and its history after a change of the team's setting while the sprint is open.
    package func changingThreshold(to wanted: Int) -> (threshold: Int, raise: ThresholdRaise) {
        var raise = raise
        let threshold = raise.change(to: wanted, from: sprint.threshold, ballots: state.current.count)
        return (threshold, raise)
    }
}
