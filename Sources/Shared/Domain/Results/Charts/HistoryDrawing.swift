/// Draws one `HistoryChart`: the document, the surroundings of the plot, and the plot itself
/// (`HistoryDrawing+Plot.swift`).
struct HistoryDrawing {
    let chart: HistoryChart
    let layout: ChartLayout
    let words: ChartTexts
    let palette: ChartPalette

    /// The system's own font; nothing is loaded.
    static let font = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', sans-serif"

    init(chart: HistoryChart) {
        self.chart = chart
        words = ChartTexts(chart.words, zone: chart.zone)
        layout = ChartLayout(size: chart.size, points: chart.points, hasHeading: chart.page == nil, words: words)
        palette = chart.appearance == .dark ? .dark : .light
    }

    package func document() -> String {
        let size = chart.size
        var parts = [
            // The role `img` hides the content from screen readers; a chart whose dots are links is a group of these.
            "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"\(chart.id)\" role=\"\(chart.page == nil ? "img" : "group")\""
                + " lang=\"\(words.tag)\""
                + " width=\"\(size.width)\" height=\"\(size.height)\" viewBox=\"0 0 \(size.width) \(size.height)\""
                + " aria-labelledby=\"\(chart.id)-title \(chart.id)-desc\" font-family=\"\(Self.font)\">",
            "<title id=\"\(chart.id)-title\">\(SVGText.escaped(words.title(team: chart.teamName)))</title>",
            "<desc id=\"\(chart.id)-desc\">\(SVGText.escaped(words.summary(of: chart.points, marks: chart.marks)))</desc>",
        ]
        if chart.appearance == .auto { parts.append("<style>\(ChartPaint.darkStyle(id: chart.id))</style>") }
        parts.append("<rect width=\"\(size.width)\" height=\"\(size.height)\" rx=\"12\" \(paint(.background))/>")
        if layout.hasHeading { parts += heading() }
        parts += grid()
        parts += chart.points.isEmpty ? emptyState() : plot()
        return parts.joined(separator: "\n") + "\n</svg>\n"
    }

    private func heading() -> [String] {
        let x = layout.isCompact ? 14.0 : 24.0
        let room = layout.width - 2 * x
        let name = SVGText.fitted(
            chart.teamName.split(whereSeparator: \.isWhitespace).joined(separator: " "), into: room,
            fontSize: layout.titleSize)
        let subtitle = SVGText.fitted(words.subtitle(of: chart.points), into: room, fontSize: layout.labelSize + 1)
        return [
            text(
                name, x: x, y: layout.isCompact ? 24 : 36, size: layout.titleSize, as: .title, anchor: "start",
                isBold: true),
            text(
                subtitle, x: x, y: layout.isCompact ? 41 : 57, size: layout.labelSize + 1, as: .text,
                anchor: "start"),
        ]
    }

    private func grid() -> [String] {
        layout.gridValues.flatMap { value in
            let y = layout.y(Double(value))
            return [
                line(fromX: layout.left, y: y, toX: layout.gridRight, y: y, as: .grid),
                text("\(value)", x: layout.left - 10, y: y + 4, size: layout.labelSize, as: .text, anchor: "end"),
            ]
        }
    }

    private func emptyState() -> [String] {
        let x = (layout.left + layout.gridRight) / 2
        let y = (layout.top + layout.bottom) / 2
        let room = layout.gridRight - layout.left - 16
        let hasHint = SVGText.width(of: words.emptyHint, fontSize: layout.labelSize) <= room
        let titleSize = min(layout.titleSize - 1, room / SVGText.width(of: words.empty, fontSize: 1))
        // An opaque background, so that no grid line crosses the text.
        let plate = min(room, 380)
        let height = hasHint ? 76.0 : 40
        var parts = [
            "<rect \(attributes([("x", x - plate / 2), ("y", y - height / 2), ("width", plate), ("height", height)])) "
                + "\(paint(.background))/>",
            text(
                words.empty, x: x, y: y + (hasHint ? -4 : 5), size: titleSize, as: .title, anchor: "middle",
                isBold: true),
        ]
        if hasHint {
            parts.append(
                text(words.emptyHint, x: x, y: y + 18, size: layout.labelSize + 1, as: .text, anchor: "middle"))
        }
        return parts
    }

    // MARK: Elements

    func paint(_ paint: ChartPaint) -> String { paint.attributes(in: palette) }

    func attributes(_ values: [(name: String, value: Double)]) -> String {
        values.map { "\($0.name)=\"\(SVGText.number($0.value))\"" }.joined(separator: " ")
    }

    func line(
        fromX x1: Double, y y1: Double, toX x2: Double, y y2: Double, as paint: ChartPaint, more: String = "",
    ) -> String {
        "<line \(attributes([("x1", x1), ("y1", y1), ("x2", x2), ("y2", y2)])) \(self.paint(paint))\(more)/>"
    }

    func text(
        _ text: String, x: Double, y: Double, size: Double, as paint: ChartPaint, anchor: String, isBold: Bool = false,
    ) -> String {
        "<text \(attributes([("x", x), ("y", y), ("font-size", size)])) text-anchor=\"\(anchor)\" \(self.paint(paint))"
            + "\(isBold ? " font-weight=\"600\"" : "")>\(SVGText.escaped(text))</text>"
    }
}
