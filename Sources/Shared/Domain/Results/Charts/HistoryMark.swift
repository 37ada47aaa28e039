package import Foundation

/// A mark in a chart for a sprint in which actions of the team began.
package struct HistoryMark: Hashable, Sendable {
    /// The sprint's name.
    package let label: SprintLabel
    /// The first instant of the sprint.
    package let start: Date
    /// The titles of the actions. At least one.
    package let titles: [String]

    /// Maximum number of titles shown for one sprint; beyond it only their number is shown.
    static let shownTitles = 5

    /// Expects at least one title.
    package init(label: SprintLabel, start: Date, titles: [String]) {
        self.label = label
        self.start = start
        self.titles = titles
    }

    /// The marks of actions, ordered by sprint.
    package static func marks(of actions: [BegunAction]) -> [HistoryMark] {
        Dictionary(grouping: actions, by: \.began)
            .map { HistoryMark(label: $0.label, start: $0.start, titles: $1.map(\.title)) }
            .sorted { $0.start < $1.start }
    }
}
