/// The results of an experiment so far. A pure value.
package struct ExperimentReport: Hashable, Sendable {
    /// The conclusion from the numbers.
    package enum Verdict: String, Sendable, Codable, CaseIterable {
        /// No numbers yet, or too few to draw a conclusion.
        case tooFew = "too-few"
        /// The wordings may be equally good.
        case noDifferenceShown = "no-difference-shown"
        /// More people vote with wording A.
        case aBetter = "a-better"
        /// More people vote with wording B.
        case bBetter = "b-better"
    }

    /// A closed sprint in which the reminder was sent.
    package struct MeasuredSprint: Hashable, Sendable {
        package let sprint: Sprint
        /// The counts; `nil` until the sprint is counted.
        package let result: ExperimentResult?

        /// A sprint with its result.
        package init(sprint: Sprint, result: ExperimentResult?) {
            self.sprint = sprint
            self.result = result
        }
    }

    /// In order of start.
    package let sprints: [MeasuredSprint]
    /// The sum over the measured sprints. A member is counted once in each.
    package let counts: ExperimentCounts
    /// A's participation minus B's; `nil` without a measured sprint.
    package let difference: ProportionDifference?
    /// The conclusion from `difference`.
    package let verdict: Verdict

    /// Interval width from which no conclusion is drawn: 40 percentage points.
    package static let maximumWidth = 0.4

    /// Adds up the measured sprints.
    package init(sprints: [MeasuredSprint]) {
        self.sprints = sprints
        counts = sprints.reduce(ExperimentCounts()) { sum, sprint in
            guard case .measured(let counts) = sprint.result else { return sum }
            return sum + counts
        }
        difference = ProportionDifference(counts)
        verdict = Self.verdict(of: difference)
    }

    private static func verdict(of difference: ProportionDifference?) -> Verdict {
        guard let difference, difference.high - difference.low <= maximumWidth else { return .tooFew }
        if difference.low > 0 { return .aBetter }
        if difference.high < 0 { return .bBetter }
        return .noDifferenceShown
    }
}
