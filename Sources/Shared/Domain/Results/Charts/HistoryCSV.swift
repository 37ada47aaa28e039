import Foundation

/// A team's history as comma-separated values (RFC 4180), for spreadsheets.
package struct HistoryCSV {
    /// The complete file: a header line, then one line per point in the given order; every line ends with CRLF.
    ///
    /// Columns: `sprint,start,end,happiness,votes,eligible,d0` ... `d10`. Instants are ISO 8601 in UTC, happiness has
    /// all digits needed to read the same number back, and unknown or withheld values are empty.
    package static func text(points: [HistoryPoint]) -> String {
        let header = ["sprint", "start", "end", "happiness", "votes", "eligible"] + (0...10).map { "d\($0)" }
        return ([header] + points.map(fields))
            .map { $0.map(quoted).joined(separator: ",") + "\r\n" }
            .joined()
    }

    private static func fields(of point: HistoryPoint) -> [String] {
        // With any other number of counts, values would shift into the wrong columns.
        let counts = point.distribution.flatMap { $0.count == 11 ? $0.map(String.init) : nil }
        return [
            harmless(point.label.description), instant(point.start), instant(point.end),
            point.happiness.isFinite ? String(point.happiness) : "", String(point.votes),
            point.eligible.map(String.init) ?? "",
        ] + (counts ?? Array(repeating: "", count: 11))
    }

    /// `2026-01-05T00:00:00Z`, whole seconds.
    private static func instant(_ date: Date) -> String {
        let day = CalendarDay(instant: date, in: .gmt)
        let rest = Int(min(max(date.timeIntervalSince(day.firstInstant(in: .gmt)), 0), 86_399))
        let clock = [rest / 3600, rest / 60 % 60, rest % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(day)T\(clock.joined(separator: ":"))Z"
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
