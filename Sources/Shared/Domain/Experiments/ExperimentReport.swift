/// The results of an experiment so far. A pure value.
package struct ExperimentReport: Hashable, Sendable {
    /// The conclusion from the numbers.
    package enum Verdict: String, Sendable, Codable, CaseIterable {
        /// No numbers yet, or too few people to draw a conclusion.
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

    /// Width of an interval around 0 beyond which the wordings are not called equal: 40 percentage points.
    package static let maximumWidth = 0.4

    /// Adds up the measured sprints.
    package init(sprints: [MeasuredSprint]) {
        self.sprints = sprints
        let measured = sprints.compactMap { sprint -> ExperimentCounts? in
            guard case .measured(let counts) = sprint.result else { return nil }
            return counts
        }
        counts = measured.reduce(ExperimentCounts()) { $0 + $1 }
        difference = ProportionDifference(counts, sprints: measured.count)
        verdict = Self.verdict(of: difference)
    }

    private static func verdict(of difference: ProportionDifference?) -> Verdict {
        guard let difference else { return .tooFew }
        if difference.low > 0 { return .aBetter }
        if difference.high < 0 { return .bBetter }
        return difference.high - difference.low > maximumWidth ? .tooFew : .noDifferenceShown
    }
}
