/// The participation of a team, sprint by sprint, as a bar chart for one of our pages, in SVG.
///
/// A pure function like `HistoryChart`, with the same classes: the page's style sheet colours it. It is an image; a
/// table next to it has its numbers.
package struct ParticipationChart: Sendable {
    /// A closed sprint.
    package struct Bar: Hashable, Sendable {
        /// The sprint's name.
        package let label: SprintLabel
        /// Share of the eligible members who voted, 0...1; `nil` if the number is withheld.
        package let share: Double?

        /// Takes a sprint's published share.
        package init(label: SprintLabel, share: Double?) {
            self.label = label
            self.share = share.map { min(max($0, 0), 1) }
        }
    }

    private let bars: [Bar]
    private let language: String
    private let size: HistoryChart.Size
    private let id: String

    /// - Parameters:
    ///   - bars: in order of time.
    ///   - language: a language tag; `de` gives German, anything else English.
    ///   - id: prefix of the ids in the document: letters, digits and `-`.
    package init(bars: [Bar], language: String, size: HistoryChart.Size, id: String) {
        self.bars = bars
        self.language = language
        self.size = size
        self.id = id.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    }

    /// The drawing: one `<svg>` element.
    package func svg() -> String {
        let words = ParticipationWords(isGerman: ChartWords(language: language).isGerman)
        let parts =
            [
                "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"\(id)\" role=\"img\" "
                    + "width=\"\(size.width)\" height=\"\(size.height)\" viewBox=\"0 0 \(size.width) \(size.height)\" "
                    + "aria-labelledby=\"\(id)-title \(id)-desc\">",
                "<title id=\"\(id)-title\">\(SVGText.escaped(words.title))</title>",
                "<desc id=\"\(id)-desc\">\(SVGText.escaped(words.summary(of: bars)))</desc>",
            ] + grid(words) + bars.indices.flatMap { column($0, words) } + labels()
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

    private func grid(_ words: ParticipationWords) -> [String] {
        [0, 0.5, 1].flatMap { share in
            let y = y(share)
            return [
                "<line x1=\"\(number(left))\" y1=\"\(number(y))\" x2=\"\(number(right))\" y2=\"\(number(y))\" "
                    + "\(paint(.grid))/>",
                text(words.percent(share), x: left - 8, y: y + 4, anchor: "end"),
            ]
        }
    }

    private func column(_ index: Int, _ words: ParticipationWords) -> [String] {
        let x = middle(index) - width / 2
        guard let share = bars[index].share else {
            // No value: a dashed line at the foot of the bar.
            let end = number(x + width)
            return [
                "<line x1=\"\(number(x))\" y1=\"\(number(bottom - 3))\" x2=\"\(end)\" y2=\"\(number(bottom - 3))\" "
                    + "stroke-width=\"2\" stroke-dasharray=\"3 3\" \(paint(.year))/>"
            ]
        }
        let height = max(bottom - y(share), 2)
        let radius = min(4, width / 2, height)
        let bar =
            "<rect x=\"\(number(x))\" y=\"\(number(bottom - height))\" width=\"\(number(width))\" "
            + "height=\"\(number(height))\" rx=\"\(number(radius))\" \(paint(.badge))/>"
        let label = words.percent(share)
        guard SVGText.width(of: words.percent(1), fontSize: fontSize) + 4 <= pitch else { return [bar] }
        return [bar, text(label, x: middle(index), y: bottom - height - 7, anchor: "middle")]
    }

    /// Every n-th label, counted back from the last, with the smallest n for which labels do not touch.
    private func labels() -> [String] {
        let widest = bars.map { SVGText.width(of: $0.label.description, fontSize: fontSize) }.max() ?? 0
        let step = max(Int(((widest + fontSize) / max(pitch, 1)).rounded(.up)), 1)
        return stride(from: bars.count - 1, through: 0, by: -step).map { index in
            text(bars[index].label.description, x: middle(index), y: bottom + 20, anchor: "middle")
        }
    }

    private func text(_ text: String, x: Double, y: Double, anchor: String) -> String {
        "<text x=\"\(number(x))\" y=\"\(number(y))\" font-size=\"\(number(fontSize))\" text-anchor=\"\(anchor)\" "
            + "\(paint(.text))>\(SVGText.escaped(text))</text>"
    }

    private func paint(_ paint: ChartPaint) -> String { paint.attributes(in: .light) }
    private func number(_ value: Double) -> String { SVGText.number(value) }
}

/// The chart's texts in one language.
private struct ParticipationWords {
    let isGerman: Bool

    var title: String { isGerman ? "Beteiligung je Sprint" : "Participation per sprint" }

    func percent(_ share: Double) -> String {
        let points = Int((share * 100).rounded())
        return isGerman ? "\(points)\u{A0}%" : "\(points)%"
    }

    /// A description in a few sentences for readers who cannot see the chart.
    func summary(of bars: [ParticipationChart.Bar]) -> String {
        let known = bars.compactMap { bar in bar.share.map { (label: bar.label, share: $0) } }
        guard let first = bars.first, let last = bars.last, let latest = known.last,
            let most = known.max(by: { $0.share < $1.share }), let least = known.min(by: { $0.share < $1.share })
        else { return isGerman ? "Noch keine Zahlen." : "No numbers yet." }
        if isGerman {
            return "Säulendiagramm über \(bars.count) Sprints von \(first.label) bis \(last.label). "
                + "Zuletzt \(percent(latest.share)) in \(latest.label). "
                + "Am meisten \(percent(most.share)) in \(most.label), "
                + "am wenigsten \(percent(least.share)) in \(least.label)."
        }
        return "Bar chart of \(bars.count) sprints from \(first.label) to \(last.label). "
            + "Latest \(percent(latest.share)) in \(latest.label). "
            + "Most \(percent(most.share)) in \(most.label), least \(percent(least.share)) in \(least.label)."
    }
}
