/// The chart's colours in one appearance, `#rrggbb`.
///
/// Contrast follows WCAG 2.2: at least 4.5 : 1 for text against its background (1.4.3), and at least 3 : 1 for line and
/// dots (1.4.11). The grid is decoration: every value is readable without it. A test checks all contrasts.
struct ChartPalette {
    let background: String
    let title: String
    let text: String
    let grid: String
    let axis: String
    let line: String
    /// The text of the latest value, on `line`.
    let onLine: String

    static let light = ChartPalette(
        background: "#ffffff", title: "#16202a", text: "#52606d", grid: "#e8ecf0", axis: "#c3ccd5", line: "#0a7a72",
        onLine: "#ffffff",
    )
    static let dark = ChartPalette(
        background: "#141b23", title: "#f1f5f9", text: "#a7b4c2", grid: "#25303c", axis: "#445364", line: "#4fd1c0",
        onLine: "#0b1f1d",
    )
}

/// The role of a shape, which decides its colour. The raw value is its class.
///
/// Shapes have colours as presentation attributes, which a page's Content-Security-Policy does not forbid, and a class
/// for the `<style>` of appearance `auto`, which makes it dark: CSS rules override presentation attributes.
enum ChartPaint: String, CaseIterable {
    case background = "hm-background"
    case title = "hm-title"
    case text = "hm-text"
    case grid = "hm-grid"
    case year = "hm-year"
    case line = "hm-line"
    case dot = "hm-dot"
    case openDot = "hm-open-dot"
    case badge = "hm-badge"
    case onBadge = "hm-on-badge"
    case shade = "hm-shade"
    case earlier = "hm-earlier"
    case earlierDot = "hm-earlier-dot"
    case mark = "hm-mark"

    /// Attribute names and colours.
    func colours(in palette: ChartPalette) -> [(name: String, colour: String)] {
        switch self {
        case .background: [("fill", palette.background)]
        case .title: [("fill", palette.title)]
        case .text: [("fill", palette.text)]
        case .grid: [("stroke", palette.grid)]
        case .year: [("stroke", palette.axis)]
        case .line: [("stroke", palette.line)]
        case .dot: [("fill", palette.line), ("stroke", palette.background)]
        case .openDot: [("fill", palette.background), ("stroke", palette.line)]
        case .badge: [("fill", palette.line)]
        case .onBadge: [("fill", palette.onLine)]
        case .shade: [("stop-color", palette.line)]
        case .earlier: [("stroke", palette.text)]
        case .earlierDot: [("fill", palette.text)]
        case .mark: [("fill", palette.title), ("stroke", palette.title)]
        }
    }

    /// Class and colours, for a start tag.
    func attributes(in palette: ChartPalette) -> String {
        let colours = colours(in: palette).map { "\($0.name)=\"\($0.colour)\"" }
        return "class=\"\(rawValue)\" " + colours.joined(separator: " ")
    }

    /// Rules that make every class of a chart with the given id dark if the reader's system is.
    static func darkStyle(id: String) -> String {
        let rules = allCases.map { paint in
            let colours = paint.colours(in: .dark).map { "\($0.name):\($0.colour)" }
            return "#\(id) .\(paint.rawValue){\(colours.joined(separator: ";"))}"
        }
        return "@media (prefers-color-scheme:dark){\(rules.joined())}"
    }
}
