public import Foundation

/// A sprint in which actions of the team began, as a chart marks it.
public struct HistoryMark: Hashable, Sendable {
    /// The sprint's name.
    public let label: SprintLabel
    /// The first instant of the sprint.
    public let start: Date
    /// What the actions are called. At least one.
    public let titles: [String]

    /// Titles that are said of one sprint; of more, how many they are.
    static let shownTitles = 5

    /// A mark by its parts.
    public init(label: SprintLabel, start: Date, titles: [String]) {
        self.label = label
        self.start = start
        self.titles = titles
    }

    /// The marks of actions, in order of their sprints.
    public static func marks(of actions: [BegunAction]) -> [HistoryMark] {
        Dictionary(grouping: actions, by: \.began)
            .map { HistoryMark(label: $0.label, start: $0.start, titles: $1.map(\.title)) }
            .sorted { $0.start < $1.start }
    }
}
