/// The types of the text format in use, with their keyword.
package enum PrometheusType: String, Sendable {
    /// Only increases while the process lives.
    case counter
    /// Increases and decreases.
    case gauge
    /// Sum and count.
    case summary
    /// Cumulative buckets, sum and count.
    case histogram
}

/// Converts names to the alphabet of the [data
/// model](https://prometheus.io/docs/concepts/data_model/#metric-names-and-labels).
enum PrometheusName {
    /// `[a-zA-Z_:][a-zA-Z0-9_:]*`, ending in `suffix`.
    static func metric(_ label: String, suffix: String) -> String {
        let name = sanitized(label) { $0 == UInt8(ascii: ":") }
        return name.hasSuffix(suffix) ? name : name + suffix
    }

    /// `[a-zA-Z_][a-zA-Z0-9_]*`; names reserved for histograms and summaries get an underscore.
    static func label(_ name: String) -> String {
        let name = sanitized(name) { _ in false }
        return ["le", "quantile"].contains(name) ? name + "_" : name
    }

    private static func sanitized(_ text: String, allowing isExtra: (UInt8) -> Bool) -> String {
        var bytes = text.utf8.map { isLetter($0) || isDigit($0) || isExtra($0) ? $0 : UInt8(ascii: "_") }
        if bytes.first.map(isDigit) ?? true { bytes.insert(UInt8(ascii: "_"), at: 0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

/// The labels of one series, ready to be rendered and compared: `kind="closeSprints",outcome="done"`.
package struct PrometheusLabels: Hashable, Comparable, Sendable {
    /// Without braces; empty for none.
    let text: String
    /// The values by name, not escaped.
    package let values: [String: String]

    /// Ordered by name. Of dimensions with the same name the last one is used, because Prometheus accepts each name
    /// once.
    init(_ dimensions: [(String, String)]) {
        let values = Dictionary(dimensions.map { (PrometheusName.label($0.0), $0.1) }, uniquingKeysWith: { $1 })
        text = values.sorted { $0.key < $1.key }.map { "\($0.key)=\"\(Self.escaped($0.value))\"" }
            .joined(separator: ",")
        self.values = values
    }

    /// The labels of the series shared by all values beyond the limit.
    var other: PrometheusLabels { PrometheusLabels(values.keys.map { ($0, "other") }) }

    /// Orders by the rendered text.
    package static func < (left: Self, right: Self) -> Bool { left.text < right.text }

    /// Escapes backslash, double quote and line feed, as the text format requires for label values.
    private static func escaped(_ value: String) -> String {
        var text = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

/// Writes the text format.
struct PrometheusWriter {
    /// The output so far.
    private(set) var text = ""

    /// Starts a metric: its `HELP`, if it has one, and its `TYPE`.
    mutating func begin(_ name: String, type: PrometheusType, help: String?) {
        if let help {
            // Quotes are not escaped in help texts.
            let escaped = help.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\\\")
                .split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\\n")
            text += "# HELP \(name) \(escaped)\n"
        }
        text += "# TYPE \(name) \(type.rawValue)\n"
    }

    /// Writes the lines of one series.
    mutating func write(_ reading: PrometheusReading, name: String, labels: PrometheusLabels) {
        switch reading {
        case .value(let value):
            line(name, labels.text, value)
        case .summary(let sum, let count):
            line("\(name)_sum", labels.text, sum)
            line("\(name)_count", labels.text, Double(count))
        case .histogram(let counts, let sum, let count):
            let prefix = labels.text.isEmpty ? "" : "\(labels.text),"
            var below = 0
            for (bound, inBucket) in zip(HistogramSeries.bounds, counts) {
                below += inBucket
                line("\(name)_bucket", "\(prefix)le=\"\(Self.number(bound))\"", Double(below))
            }
            line("\(name)_bucket", "\(prefix)le=\"+Inf\"", Double(count))
            line("\(name)_sum", labels.text, sum)
            line("\(name)_count", labels.text, Double(count))
        }
    }

    private mutating func line(_ name: String, _ labels: String, _ value: Double) {
        text += labels.isEmpty ? name : "\(name){\(labels)}"
        text += " \(Self.number(value))\n"
    }

    /// In the syntax of Go's `ParseFloat`, to which the format refers.
    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        return Int64(exactly: value).map(String.init) ?? "\(value)"
    }
}
