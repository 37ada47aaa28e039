package import Foundation

/// A team's happiness over its sprints as a line chart, in SVG.
///
/// A pure function: the same input gives the same bytes. The document has no script, no `style` attribute and no
/// external reference, and all text in it is escaped.
package struct HistoryChart: Sendable {
    /// The background that the chart's colours suit.
    package enum Appearance: String, Sendable, CaseIterable {
        /// Dark on white.
        case light
        /// Light on dark.
        case dark
        /// Light, or dark if the reader's system is. Needs a `<style>` element; if a page's policy forbids that, the
        /// chart stays light.
        case auto
    }

    /// The size of a chart in pixels.
    package struct Size: Hashable, Sendable {
        /// Valid widths.
        package static let widths = 240...4000
        /// Valid heights.
        package static let heights = 160...3000

        /// 240...4000.
        package let width: Int
        /// 160...3000.
        package let height: Int

        /// Clamps both values to their limits.
        package init(width: Int = 960, height: Int = 420) {
            self.width = min(max(width, Self.widths.lowerBound), Self.widths.upperBound)
            self.height = min(max(height, Self.heights.lowerBound), Self.heights.upperBound)
        }
    }

    let teamName: String
    let points: [HistoryPoint]
    let marks: [HistoryMark]
    let appearance: Appearance
    let words: LocalizedTexts
    let zone: TimeZone
    let size: Size
    let id: String
    let page: Page?

    /// Settings for a chart within one of our pages. The page has its own heading, and its style sheet colours the
    /// classes of `ChartPaint`: the chart itself has no `<style>`.
    package struct Page: Sendable {
        /// The link target of a dot.
        package let address: @Sendable (SprintLabel) -> String
        /// The sprints of the previous year: each is drawn at the place of the present sprint with the same number, as
        /// a second, thinner line.
        package let earlier: [HistoryPoint]

        /// By default no previous year.
        package init(earlier: [HistoryPoint] = [], address: @escaping @Sendable (SprintLabel) -> String) {
            self.address = address
            self.earlier = earlier.filter(\.happiness.isFinite)
        }
    }

    /// Draws the points, in any order; points without a finite value are omitted.
    ///
    /// - Parameters:
    ///   - teamName: shown above the chart, shortened to fit.
    ///   - marks: sprints in which actions began. Those before the first point and after the last are omitted.
    ///   - words: the texts in the reader's language.
    ///   - zone: the team's time zone, in which its sprints begin at midnight.
    ///   - id: prefix of the ids in the document, for pages with several charts. Letters, digits and `-`; other
    ///     characters are dropped.
    ///   - page: for a chart within a page.
    package init(
        teamName: String, points: [HistoryPoint], marks: [HistoryMark] = [], appearance: Appearance = .auto,
        words: LocalizedTexts, zone: TimeZone = .gmt, size: Size = Size(), id: String = "hm-chart", page: Page? = nil,
    ) {
        self.teamName = teamName
        let points = points.filter(\.happiness.isFinite).sorted { $0.start < $1.start }
        self.points = points
        self.marks = marks.filter { mark in
            guard let first = points.first, let last = points.last else { return false }
            return (first.start...last.start).contains(mark.start)
        }
        self.appearance = appearance
        self.words = words
        self.zone = zone
        self.size = size
        self.page = page
        let allowed = id.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        // CSS cannot select an id that begins with a digit.
        self.id = allowed.first?.isLetter == true ? allowed : "hm-\(allowed)"
    }

    /// The document: one `<svg>` element without an XML declaration, for use in a page or a file.
    package func svg() -> String { HistoryDrawing(chart: self).document() }
}
