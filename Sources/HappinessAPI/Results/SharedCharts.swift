import Foundation
import NIOCore
import Shared

/// A team's published history, as much of it as a chart shows.
struct SharedHistory: Sendable {
    /// Another one whenever it was read: what was drawn from an earlier one counts no more.
    let version = Identifier<SharedHistory>.random()
    let teamName: String
    let points: [HistoryPoint]

    /// Of the labels, both included; `nil` while nothing is published.
    var years: ClosedRange<Int>? {
        let years = points.map(\.label.year)
        guard let first = years.min(), let last = years.max() else { return nil }
        return first...last
    }
}

/// The charts behind share links.
///
/// Whoever has a link may ask as often and in as many ways as they like, without a name and without a wait. So what that
/// costs is bounded: a stretch of sprints is widened to whole years and cut to those the team has, what was drawn is
/// kept, and one chart is drawn at a time, however many wait for one.
actor SharedCharts {
    /// Charts kept, of some 30 KB each. A team of ten years has 330 different ones, but a wall shows few of them.
    static let capacity = 512

    /// What makes one chart differ from another.
    private struct Key: Hashable {
        let version: Identifier<SharedHistory>
        let years: ClosedRange<Int>?
        let appearance: HistoryChart.Appearance
        let language: ChartLanguage
    }

    private let drawn = BoundedCache<Key, CachedAnswer>(capacity: SharedCharts.capacity)
    private let clock: WallClock
    private let draw: @Sendable (HistoryChart) -> String

    /// - Parameter draw: makes the document; tests count how often.
    init(clock: WallClock, draw: @escaping @Sendable (HistoryChart) -> String = { $0.svg() }) {
        self.clock = clock
        self.draw = draw
    }

    /// The chart of the years a filter touches, drawn if it was not yet.
    nonisolated func chart(
        of history: SharedHistory, matching filter: SprintFilter, appearance: HistoryChart.Appearance,
        language: ChartLanguage
    ) async -> CachedAnswer {
        let key = Key(
            version: history.version, years: Self.years(of: history, matching: filter), appearance: appearance,
            language: language)
        if let answer = drawn.value(for: key, at: clock.now) { return answer }
        return await drawing(key, of: history)
    }

    /// Without a suspension, so that the actor draws one after the other. Those who waited for the same find it drawn.
    private func drawing(_ key: Key, of history: SharedHistory) -> CachedAnswer {
        let now = clock.now
        if let answer = drawn.value(for: key, at: now) { return answer }
        let chart = HistoryChart(
            teamName: history.teamName,
            points: history.points.filter { key.years?.contains($0.label.year) == true }, appearance: key.appearance,
            language: key.language.rawValue)
        let answer = CachedAnswer(bytes: ByteBuffer(string: draw(chart)), mediaType: "image/svg+xml")
        // For good: the key names what it was made from.
        drawn.store(
            answer, for: key, validity: .distantPast..<(.distantFuture), unlessRemovedSince: drawn.removals(for: key))
        return answer
    }

    /// Whole years in which the team has something published.
    private static func years(of history: SharedHistory, matching filter: SprintFilter) -> ClosedRange<Int>? {
        guard let known = history.years else { return nil }
        switch filter {
        case .all: return known
        case .year(let year): return known.contains(year) ? year...year : nil
        case .range(let from, let through):
            guard from.year <= through.year, known.overlaps(from.year...through.year) else { return nil }
            return (from.year...through.year).clamped(to: known)
        }
    }
}
