/// A team's happiness over its sprints as a line chart, in SVG.
///
/// A pure function: the same input gives the same bytes. The document has no script, no `style` attribute and no
/// reference out of itself, and all text in it is escaped.
public struct HistoryChart: Sendable {
    /// For which background the chart is coloured.
    public enum Appearance: String, Sendable, CaseIterable {
        /// Dark on white.
        case light
        /// Light on dark.
        case dark
        /// Light, or dark where the reader's system is. Takes a `<style>` element; where a page's policy forbids that,
        /// the chart stays light.
        case auto
    }

    /// Pixels.
    public struct Size: Hashable, Sendable {
        /// Widths a chart can have.
        public static let widths = 240...4000
        /// Heights a chart can have.
        public static let heights = 160...3000

        /// 240...4000.
        public let width: Int
        /// 160...3000.
        public let height: Int

        /// A size; one outside the limits becomes the nearest within.
        public init(width: Int = 960, height: Int = 420) {
            self.width = min(max(width, Self.widths.lowerBound), Self.widths.upperBound)
            self.height = min(max(height, Self.heights.lowerBound), Self.heights.upperBound)
        }
    }

    let teamName: String
    let points: [HistoryPoint]
    let marks: [HistoryMark]
    let appearance: Appearance
    let language: String
    let size: Size
    let id: String
    let page: Page?

    /// A chart within a page of ours, which has its own heading, and whose style sheet colours the classes of
    /// `ChartPaint`: the chart itself has no `<style>`.
    public struct Page: Sendable {
        /// Where a dot leads.
        public let address: @Sendable (SprintLabel) -> String
        /// The sprints of the year before: each is drawn where the sprint of the same number is, as a second, quieter
        /// line.
        public let earlier: [HistoryPoint]

        /// What a page adds to a chart.
        public init(earlier: [HistoryPoint] = [], address: @escaping @Sendable (SprintLabel) -> String) {
            self.address = address
            self.earlier = earlier.filter(\.happiness.isFinite)
        }
    }

    /// A chart of the points, in whatever order they come; points without a finite value are left out.
    ///
    /// - Parameters:
    ///   - teamName: shown above the chart, shortened to fit.
    ///   - marks: sprints in which actions began. Those before the first point and after the last have no place.
    ///   - language: a language tag; `de` gives German, anything else English.
    ///   - id: prefix of the ids in the document, for pages with several charts. Letters, digits and `-`; others are
    ///     dropped.
    ///   - page: for a chart within a page.
    public init(
        teamName: String, points: [HistoryPoint], marks: [HistoryMark] = [], appearance: Appearance = .auto,
        language: String = "en", size: Size = Size(), id: String = "hm-chart", page: Page? = nil,
    ) {
        self.teamName = teamName
        let points = points.filter(\.happiness.isFinite).sorted { $0.start < $1.start }
        self.points = points
        self.marks = marks.filter { mark in
            guard let first = points.first, let last = points.last else { return false }
            return (first.start...last.start).contains(mark.start)
        }
        self.appearance = appearance
        self.language = language
        self.size = size
        self.page = page
        let allowed = id.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        // An id that begins with a digit cannot be named in CSS.
        self.id = allowed.first?.isLetter == true ? allowed : "hm-\(allowed)"
    }

    /// The document: one `<svg>` element without an XML declaration, so that it can stand in a page or a file.
    public func svg() -> String {
        HistoryDrawing(chart: self).document()
    }
}
