package import Foundation

/// A team's history as comma-separated values (RFC 4180), for programs and for spreadsheets.
package struct HistoryCSV {
    /// The complete file: a header line, then one line per point in the given order; every line ends with CRLF.
    ///
    /// Columns: `sprint,start,end,happiness,votes,eligible,d0` ... `d10,imported`. `start` and `end` are the first and
    /// the last day in the zone (ISO 8601, `2026-01-05`), as the pages show them. Happiness has all digits needed to
    /// read the same number back, `imported` is `true` or `false`, and unknown or withheld values are empty. New
    /// columns come last: programs may read the others by their place.
    /// - Parameter zone: the team's.
    package static func text(points: [HistoryPoint], zone: TimeZone) -> String {
        let lines = points.map { point in
            let happiness = point.happiness.isFinite ? String(point.happiness) : ""
            return fields(of: point, label: harmless(point.label.description), happiness: happiness, in: zone)
        }
        return text([header] + lines, separator: ",")
    }

    /// The same for a spreadsheet in a language with this decimal sign, which must open it as it is and show people what
    /// they can read:
    /// - a byte order mark, without which Excel takes UTF-8 for an older encoding;
    /// - semicolons if the decimal sign is a comma;
    /// - `Sprint 2026/1`, since `2026/1` would become January 2026;
    /// - happiness with as many decimal places as `HistoryFile` needs to read the same sum of votes;
    /// - no column that is empty in each line.
    package static func spreadsheet(points: [HistoryPoint], zone: TimeZone, decimalSign: String) -> String {
        let lines = points.map { point in
            let happiness = point.happiness.isFinite ? rounded(point).replacing(".", with: decimalSign) : ""
            return fields(
                of: point, label: harmless(labelPrefix + point.label.description), happiness: happiness, in: zone)
        }
        let columns = header.indices.filter { column in
            lines.isEmpty || lines.contains { !$0[column].isEmpty }
        }
        let table = ([header] + lines).map { line in columns.map { line[$0] } }
        return "\u{FEFF}" + text(table, separator: decimalSign == "," ? ";" : ",")
    }

    /// In front of a sprint's name for a spreadsheet.
    static let labelPrefix = "Sprint "

    private static let header =
        ["sprint", "start", "end", "happiness", "votes", "eligible"] + (0...10).map { "d\($0)" } + ["imported"]

    /// The sum of `n` votes in tenths is a whole number, and the mean times `10 n`. So an error below `1 / 20 n` leaves
    /// it the same: one decimal place more than `n` has digits.
    private static func rounded(_ point: HistoryPoint) -> String {
        let digits = String(max(point.votes, 1)).count + 1
        let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
        let units = Int((min(max(point.happiness, 0), 10) * Double(scale)).rounded())
        let fraction = String(units % scale)
        var places = String(repeating: "0", count: digits - fraction.count) + fraction
        while places.count > 1, places.hasSuffix("0") { places.removeLast() }
        return "\(units / scale).\(places)"
    }

    private static func text(_ table: [[String]], separator: String) -> String {
        table.map { $0.map { quoted($0, separator: separator) }.joined(separator: separator) + "\r\n" }.joined()
    }

    private static func fields(
        of point: HistoryPoint, label: String, happiness: String, in zone: TimeZone
    ) -> [String] {
        // With any other number of counts, values would shift into the wrong columns.
        let known = point.distribution.flatMap { $0.count == 11 ? $0.map(String.init) : nil }
        let counts = known ?? Array(repeating: "", count: 11)
        let values = [
            label, "\(CalendarDay(instant: point.start, in: zone))",
            // The end is the first instant after the sprint.
            "\(CalendarDay(instant: point.end, in: zone).adding(days: -1))",
            happiness, String(point.votes), point.eligible.map(String.init) ?? "",
        ]
        return values + counts + [String(point.isImported)]
    }

    /// Text that spreadsheets do not take for a formula: an apostrophe is added before the characters that OWASP lists
    /// under "CSV Injection". Labels start with a digit; this protects even against one created in code.
    private static func harmless(_ text: String) -> String {
        guard let first = text.unicodeScalars.first, "=+-@\t\r\n".unicodeScalars.contains(first) else { return text }
        return "'" + text
    }

    /// RFC 4180, section 2, rules 6 and 7. It compares scalars, because CRLF is one `Character` and a search would miss
    /// it.
    private static func quoted(_ text: String, separator: String) -> String {
        let special = "\"\r\n\(separator)".unicodeScalars
        guard text.unicodeScalars.contains(where: { special.contains($0) }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
