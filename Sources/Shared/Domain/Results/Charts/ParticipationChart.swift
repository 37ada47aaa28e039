package import Foundation

/// The participation of a team, sprint by sprint, as a bar chart for one of our pages, in SVG.
///
/// A pure function like `HistoryChart`, with the same classes: the page's style sheet colours it. Each bar is a link
/// that says what it stands for; a table next to the chart has the same links.
package struct ParticipationChart: Sendable {
    /// A closed sprint.
    package struct Bar: Hashable, Sendable {
        /// The first instant of the sprint.
        package let start: Date
        /// The first instant after the sprint.
        package let end: Date
        /// Share of the eligible members who voted, 0...1; `nil` if the number is withheld.
        package let share: Double?
        /// Number of ballots, and of members who could have voted. Shown only with a share.
        package let votes: Int
        package let eligible: Int
        /// The share of the same sprint in the previous year; `nil` without one.
        package let yearBefore: Double?
        /// Whether another tool counted the votes, and those of the year before.
        package let isImported: Bool
        package let isYearBeforeImported: Bool
        /// Titles of the actions that began in the sprint.
        package let begun: [String]
        /// Where the bar leads.
        package let address: String

        /// Takes a sprint's published share.
        package init(
            start: Date, end: Date, share: Double?, votes: Int, eligible: Int, yearBefore: Double? = nil,
            isImported: Bool = false, isYearBeforeImported: Bool = false, begun: [String] = [], address: String
        ) {
            self.start = start
            self.end = end
            self.share = share.map { min(max($0, 0), 1) }
            self.votes = votes
            self.eligible = eligible
            self.yearBefore = yearBefore
            self.isImported = isImported
            self.isYearBeforeImported = isYearBeforeImported
            self.begun = begun
            self.address = address
        }
    }

    private let bars: [Bar]
    private let words: ParticipationTexts
    private let size: HistoryChart.Size
    private let id: String

    /// - Parameters:
    ///   - bars: in order of time.
    ///   - words: the texts in the reader's language.
    ///   - zone: the team's time zone.
    ///   - id: prefix of the ids in the document: letters, digits and `-`.
    package init(bars: [Bar], words: LocalizedTexts, zone: TimeZone, size: HistoryChart.Size, id: String) {
        self.bars = bars
        self.words = ParticipationTexts(charts: ChartTexts(words, zone: zone))
        self.size = size
        self.id = id.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    }

    /// The drawing: one `<svg>` element.
    package func svg() -> String {
        let parts =
            [
                "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"\(id)\" role=\"group\" "
                    + "width=\"\(size.width)\" height=\"\(size.height)\" viewBox=\"0 0 \(size.width) \(size.height)\" "
                    + "aria-labelledby=\"\(id)-title \(id)-desc\">",
                "<title id=\"\(id)-title\">\(SVGText.escaped(words.title))</title>",
                "<desc id=\"\(id)-desc\">\(SVGText.escaped(words.summary(of: bars)))</desc>",
            ] + grid() + bars.indices.flatMap(column) + labels()
        return parts.joined(separator: "\n") + "\n</svg>\n"
    }

    private var isCompact: Bool { size.width < 560 }
    private var fontSize: Double { isCompact ? 11 : 12 }
    private var left: Double { isCompact ? 44 : 56 }
    /// Leaves room for the half of the last label that extends beyond its bar.
    private var right: Double { Double(size.width) - (isCompact ? 18 : 20) }
    private var top: Double { 24 }
    private var bottom: Double { Double(size.height) - 32 }
    /// Distance between the centres of two bars.
    private var pitch: Double { (right - left) / Double(max(bars.count, 1)) }
    /// Limited, so that a few bars do not look like a wall.
    private var width: Double { min(pitch * 0.68, 56) }

    private func y(_ share: Double) -> Double { bottom - (bottom - top) * share }
    private func middle(_ index: Int) -> Double { left + pitch * (Double(index) + 0.5) }

    private func grid() -> [String] {
        [0, 0.5, 1].flatMap { share in
            let y = y(share)
            return [
                "<line x1=\"\(number(left))\" y1=\"\(number(y))\" x2=\"\(number(right))\" y2=\"\(number(y))\" "
                    + "\(paint(.grid))/>",
                text(words.percent(share), x: left - 8, y: y + 4, anchor: "end"),
            ]
        }
    }

    private func column(_ index: Int) -> [String] {
        let bar = bars[index]
        let x = middle(index) - width / 2
        guard let share = bar.share else {
            // No value: a dashed line at the foot of the bar.
            let end = number(x + width)
            return [
                link(
                    to: bar,
                    around: "<line x1=\"\(number(x))\" y1=\"\(number(bottom - 3))\" x2=\"\(end)\" "
                        + "y2=\"\(number(bottom - 3))\" stroke-width=\"2\" stroke-dasharray=\"3 3\" \(paint(.year))/>")
            ]
        }
        let height = max(bottom - y(share), 2)
        let radius = min(4, width / 2, height)
        let shape =
            "<rect x=\"\(number(x))\" y=\"\(number(bottom - height))\" width=\"\(number(width))\" "
            + "height=\"\(number(height))\" rx=\"\(number(radius))\" \(paint(.badge))/>"
        let label = words.percent(share)
        guard SVGText.width(of: words.percent(1), fontSize: fontSize) + 4 <= pitch else {
            return [link(to: bar, around: shape)]
        }
        return [
            link(to: bar, around: shape),
            text(label, x: middle(index), y: bottom - height - 7, anchor: "middle"),
        ]
    }

    /// Not in the tab order, like the dots of `HistoryChart`.
    private func link(to bar: Bar, around shape: String) -> String {
        "<a href=\"\(SVGText.escaped(bar.address))\" tabindex=\"-1\" "
            + "aria-label=\"\(SVGText.escaped(words.name(of: bar)))\"\(words.readout(of: bar).attributes)>\(shape)</a>"
    }

    /// The month below the first bar of each month, as far as there is room.
    private func labels() -> [String] {
        var free = 0.0
        return bars.indices.compactMap { index in
            let month = words.month(of: bars[index])
            guard index == 0 || month != words.month(of: bars[index - 1]) else { return nil }
            let half = SVGText.width(of: month, fontSize: fontSize) / 2
            guard middle(index) - half >= free else { return nil }
            free = middle(index) + half + fontSize / 2
            return text(month, x: middle(index), y: bottom + 20, anchor: "middle")
        }
    }

    private func text(_ text: String, x: Double, y: Double, anchor: String) -> String {
        "<text x=\"\(number(x))\" y=\"\(number(y))\" font-size=\"\(number(fontSize))\" text-anchor=\"\(anchor)\" "
            + "\(paint(.text))>\(SVGText.escaped(text))</text>"
    }

    private func paint(_ paint: ChartPaint) -> String { paint.attributes(in: .light) }
    private func number(_ value: Double) -> String { SVGText.number(value) }
}
