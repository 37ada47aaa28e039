package import Foundation

/// A small chart of the last hour in the style of `HistoryChart`: one scale from zero, a line for each series, the area
/// under the first one shaded.
///
/// For our own pages: shapes have the light colours as attributes, and classes by which the page's style makes them
/// dark.
package struct LoadChart: Sendable {
    /// The style of a line. The raw value is its class.
    package enum Paint: String, Sendable {
        /// The line of every chart.
        case usual = "hm-line"
        /// Dashed, in the colour of warnings.
        case warning = "hm-warning"
        /// Dotted, in the colour of problems.
        case problem = "hm-problem"
    }

    /// Values over time.
    package struct Series: Sendable {
        /// The style of its line.
        package let paint: Paint
        /// In order of time; not negative.
        package let values: [(instant: Date, value: Double)]

        /// Takes values in order of time.
        package init(_ paint: Paint, _ values: [(instant: Date, value: Double)]) {
            self.paint = paint
            self.values = values
        }
    }

    /// The text for screen readers.
    package let title: String
    /// The end of the hour shown.
    package let end: Date
    /// Ordered from front to back.
    package let series: [Series]
    /// Minimum top of the scale, so that an idle process is drawn as a line along the bottom.
    package let atLeast: Double
    /// Formats a value of the scale.
    package let label: @Sendable (Double) -> String
    /// Labels below both ends of the axis.
    package let ends: (start: String, end: String)
    /// Shown while there are no lines.
    package let empty: String

    /// Takes the values that the drawing needs, labels included.
    package init(
        title: String, end: Date, series: [Series], atLeast: Double, ends: (start: String, end: String), empty: String,
        label: @escaping @Sendable (Double) -> String
    ) {
        self.title = title
        self.end = end
        self.series = series
        self.atLeast = atLeast
        self.ends = ends
        self.empty = empty
        self.label = label
    }

    // Pixels of the drawing, which pages scale to their column.
    private static let (width, height) = (300.0, 160.0)
    private static let (left, right, top, bottom) = (58.0, 292.0, 12.0, 130.0)
    private static let labelSize = 12.0
    /// Grid lines above zero.
    private static let steps = 2

    /// The drawing; the same chart gives the same bytes.
    package func svg() -> String {
        let top = Self.scale(max(atLeast, series.flatMap(\.values).map(\.value).max() ?? 0))
        let lines = series.filter { $0.values.count > 1 }
        var parts = [
            "<svg role=\"img\" viewBox=\"0 0 \(SVGText.number(Self.width)) \(SVGText.number(Self.height))\""
                + " width=\"\(SVGText.number(Self.width))\" height=\"\(SVGText.number(Self.height))\""
                + " aria-label=\"\(SVGText.escaped(title))\">"
        ]
        parts += grid(top: top)
        if lines.isEmpty {
            parts.append(text(empty, x: (Self.left + Self.right) / 2, y: (Self.top + Self.bottom) / 2 + 4, "middle"))
        }
        if let first = lines.first { parts.append(area(under: first, top: top)) }
        parts += lines.reversed().map { line($0, top: top) }
        return parts.joined(separator: "\n") + "\n</svg>"
    }

    /// The smallest of 1, 2, 4, 10, 20, 40, … (times a power of ten) that is not below the value.
    static func scale(_ value: Double) -> Double {
        guard value > 0, value.isFinite else { return 1 }
        let power = pow(10, (log10(value)).rounded(.down))
        return [1, 2, 4, 10].map { $0 * power }.first { value <= $0 * 1.000_001 } ?? 10 * power
    }

    private func grid(top: Double) -> [String] {
        let lines = (0...Self.steps).flatMap { step in
            let value = top * Double(step) / Double(Self.steps)
            let y = SVGText.number(self.y(value, top: top))
            return [
                "<line x1=\"\(SVGText.number(Self.left))\" x2=\"\(SVGText.number(Self.right))\" y1=\"\(y)\" y2=\"\(y)\""
                    + " class=\"hm-grid\" stroke=\"\(ChartPalette.light.grid)\"/>",
                text(label(value), x: Self.left - 8, y: self.y(value, top: top) + 4, "end"),
            ]
        }
        return lines + [
            text(ends.start, x: Self.left, y: Self.bottom + 20, "start"),
            text(ends.end, x: Self.right, y: Self.bottom + 20, "end"),
        ]
    }

    private func line(_ series: Series, top: Double) -> String {
        let look =
            switch series.paint {
            case .usual: "stroke=\"\(ChartPalette.light.line)\""
            // Distinguishable without colour.
            case .warning: "stroke=\"#8a5200\" stroke-dasharray=\"6 4\""
            case .problem: "stroke=\"#b42318\" stroke-dasharray=\"2 4\""
            }
        return "<path class=\"\(series.paint.rawValue)\" d=\"\(path(series, top: top))\" fill=\"none\" \(look)"
            + " stroke-width=\"2\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/>"
    }

    private func area(under series: Series, top: Double) -> String {
        guard let first = series.values.first, let last = series.values.last else { return "" }
        let bottom = SVGText.number(Self.bottom)
        let close = "L\(SVGText.number(x(last.instant))) \(bottom)L\(SVGText.number(x(first.instant))) \(bottom)Z"
        return "<path class=\"hm-area\" d=\"\(path(series, top: top))\(close)\""
            + " fill=\"\(ChartPalette.light.line)\" fill-opacity=\"0.12\"/>"
    }

    private func path(_ series: Series, top: Double) -> String {
        let points = series.values.map { "\(SVGText.number(x($0.instant))) \(SVGText.number(y($0.value, top: top)))" }
        return "M" + points.joined(separator: "L")
    }

    private func x(_ instant: Date) -> Double {
        let share = 1 - end.timeIntervalSince(instant) / Self.span
        return Self.left + (Self.right - Self.left) * min(max(share, 0), 1)
    }

    private func y(_ value: Double, top: Double) -> Double {
        Self.bottom - (Self.bottom - Self.top) * min(max(value / top, 0), 1)
    }

    private func text(_ text: String, x: Double, y: Double, _ anchor: String) -> String {
        "<text x=\"\(SVGText.number(x))\" y=\"\(SVGText.number(y))\" font-size=\"\(SVGText.number(Self.labelSize))\""
            + " text-anchor=\"\(anchor)\" class=\"hm-text\" fill=\"\(ChartPalette.light.text)\">"
            + "\(SVGText.escaped(text))</text>"
    }
}

extension LoadChart {
    /// Seconds for which samples are kept.
    package static let span: TimeInterval = 3_600
}
