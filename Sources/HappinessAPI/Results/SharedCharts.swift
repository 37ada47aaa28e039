import Domain
import Foundation
import NIOCore
import Ports
import Services
import Storage

/// The part of a team's published history that a chart needs.
struct SharedHistory: Sendable {
    /// New for each read: charts drawn from an earlier one are no longer used.
    let version = Identifier<SharedHistory>.random()
    let teamName: String
    /// The team's time zone.
    let zone: TimeZone
    let points: [HistoryPoint]

    /// Years of the labels; `nil` while nothing is published.
    var years: ClosedRange<Int>? {
        let years = points.map(\.label.year)
        guard let first = years.min(), let last = years.max() else { return nil }
        return first...last
    }
}

/// Draws the charts behind share links.
///
/// A link works without a login and without rate limit, so the cost must be bounded: a range of sprints is widened to
/// whole years and clipped to those the team has, drawn charts are cached, and only one chart is drawn at a time.
actor SharedCharts {
    /// Number of cached charts, about 30 KB each. A team of ten years has 330 different ones, but wallboards show only
    /// a few of them.
    static let capacity = 512

    /// Everything a chart depends on.
    private struct Key: Hashable {
        let version: Identifier<SharedHistory>
        let years: ClosedRange<Int>?
        let appearance: HistoryChart.Appearance
        let language: MailLocale
        /// `TextCatalog.version`
        let texts: Int?
    }

    private let drawn = BoundedCache<Key, CachedResponse>(capacity: SharedCharts.capacity)
    private let texts: TextCatalog
    private let clock: WallClock
    private let draw: @Sendable (HistoryChart) -> String

    /// - Parameter draw: draws the document; tests count the calls.
    init(texts: TextCatalog, clock: WallClock, draw: @escaping @Sendable (HistoryChart) -> String = { $0.svg() }) {
        self.texts = texts
        self.clock = clock
        self.draw = draw
    }

    /// The chart of the years that a filter touches, from the cache if possible.
    nonisolated func chart(
        of history: SharedHistory, matching filter: SprintFilter, appearance: HistoryChart.Appearance,
        language: MailLocale
    ) async -> CachedResponse {
        let key = Key(
            version: history.version, years: Self.years(of: history, matching: filter), appearance: appearance,
            language: language, texts: texts.version)
        if let response = drawn.value(for: key, at: clock.now) { return response }
        return await drawing(key, of: history)
    }

    /// Has no suspension point, so that the actor draws one chart at a time. Callers that waited for the same chart
    /// find it cached.
    private func drawing(_ key: Key, of history: SharedHistory) -> CachedResponse {
        let now = clock.now
        if let response = drawn.value(for: key, at: now) { return response }
        let chart = HistoryChart(
            teamName: history.teamName,
            points: history.points.filter { key.years?.contains($0.label.year) == true }, appearance: key.appearance,
            words: texts.words(in: key.language), zone: history.zone)
        let response = CachedResponse(bytes: ByteBuffer(string: draw(chart)), mediaType: "image/svg+xml")
        // Never expires: the key encodes all of its content.
        drawn.store(response, for: key, validity: .distantPast..<(.distantFuture), unlessRemovedSince: drawn.removals)
        return response
    }

    /// The matching years in which the team has published sprints.
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
