package import Foundation

/// One published sprint in a team's history, as charts and exports show it.
package struct HistoryPoint: Hashable, Sendable {
    /// The sprint's name.
    package let label: SprintLabel
    /// The first instant of the sprint.
    package let start: Date
    /// The first instant after the sprint.
    package let end: Date
    /// Sum of the values divided by their count, 0...10, not rounded.
    package let happiness: Double
    /// Number of ballots in the published state.
    package let votes: Int
    /// Number of members who could have voted; nil until the sprint is closed.
    package let eligible: Int?
    /// Whether the sprint is still running, so that the values may change.
    package let isRunning: Bool
    /// Whether another tool counted it.
    package let isImported: Bool
    /// Number of ballots for each value from 0 to 10, eleven counts; nil while withheld.
    package let distribution: [Int]?

    /// Takes published values only.
    package init(
        label: SprintLabel, start: Date, end: Date, happiness: Double, votes: Int, eligible: Int? = nil,
        isRunning: Bool = false, isImported: Bool = false, distribution: [Int]? = nil,
    ) {
        self.label = label
        self.start = start
        self.end = end
        self.happiness = happiness
        self.votes = votes
        self.eligible = eligible
        self.isRunning = isRunning
        self.isImported = isImported
        self.distribution = distribution
    }
}
