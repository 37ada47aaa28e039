package import Foundation

/// A team's history as comma-separated values (RFC 4180), for spreadsheets.
package struct HistoryCSV {
    /// The complete file: a header line, then one line per point in the given order; every line ends with CRLF.
    ///
    /// Columns: `sprint,start,end,happiness,votes,eligible,d0` ... `d10,imported`. `start` and `end` are the first and
    /// the last day in the zone (ISO 8601, `2026-01-05`), as the pages show them. Happiness has all digits needed to
    /// read the same number back, `imported` is `true` or `false`, and unknown or withheld values are empty. New
    /// columns come last: programs may read the others by their place.
    /// - Parameter zone: the team's.
    package static func text(points: [HistoryPoint], zone: TimeZone) -> String {
        let counts = (0...10).map { "d\($0)" }
        let header = ["sprint", "start", "end", "happiness", "votes", "eligible"] + counts + ["imported"]
        return ([header] + points.map { fields(of: $0, in: zone) })
            .map { $0.map(quoted).joined(separator: ",") + "\r\n" }
            .joined()
    }

    private static func fields(of point: HistoryPoint, in zone: TimeZone) -> [String] {
        // With any other number of counts, values would shift into the wrong columns.
        let known = point.distribution.flatMap { $0.count == 11 ? $0.map(String.init) : nil }
        let counts = known ?? Array(repeating: "", count: 11)
        let values = [
            harmless(point.label.description), "\(CalendarDay(instant: point.start, in: zone))",
            // The end is the first instant after the sprint.
            "\(CalendarDay(instant: point.end, in: zone).adding(days: -1))",
            point.happiness.isFinite ? String(point.happiness) : "", String(point.votes),
            point.eligible.map(String.init) ?? "",
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
    private static func quoted(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { "\",\r\n".unicodeScalars.contains($0) }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
