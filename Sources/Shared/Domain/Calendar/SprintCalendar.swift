/// How a team's time is divided into sprints. Every sprint starts at the first instant of a local Monday.
package enum SprintCalendar: Hashable, Sendable {
    /// A sprint starts on Monday of every even ISO 8601 week; label: ISO week-year, slash, week divided by two.
    ///
    /// Two weeks long; three around the turn of a year that has 53 weeks (52, 53 and the next year's 1).
    case isoFortnight
    /// A sprint starts every 1 to 4 weeks, counted forwards and backwards from an anchor Monday, numbered from 1 in
    /// each ISO week-year.
    ///
    /// Texts with another anchor or length are rejected. In code, an anchor that is not a Monday means the Monday of
    /// its week, and the length is clamped to 1...4.
    case cadence(anchor: CalendarDay, weeks: Int)

    /// Valid lengths of a sprint in `cadence`, in weeks.
    package static let cadenceWeeks = 1...4
}

extension SprintCalendar: LosslessStringConvertible {
    /// `isoFortnight`, or `cadence:2026-01-05:2` with anchor and weeks.
    package var description: String {
        switch self {
        case .isoFortnight: "isoFortnight"
        case .cadence(let anchor, let weeks):
            "cadence:\(Self.monday(of: anchor)):\(Self.allowed(weeks))"
        }
    }

    /// Parses the result of `description` and nothing else; an anchor that is not a Monday is rejected.
    package init?(_ description: String) {
        if description == "isoFortnight" {
            self = .isoFortnight
            return
        }
        let parts = description.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "cadence",
            let anchor = CalendarDay(String(parts[1])), anchor.weekday == 1,
            let weeks = Self.cadenceWeeks.first(where: { String($0) == parts[2] })
        else { return nil }
        self = .cadence(anchor: anchor, weeks: weeks)
    }

    static func monday(of day: CalendarDay) -> CalendarDay { day.adding(days: 1 - day.weekday) }

    static func allowed(_ weeks: Int) -> Int {
        min(max(weeks, cadenceWeeks.lowerBound), cadenceWeeks.upperBound)
    }
}

extension SprintCalendar: Codable {
    /// Decodes the text of `description`.
    package init(from decoder: any Decoder) throws {
        self = try decoder.decodeText(as: Self.self)
    }

    /// Encodes the text of `description`.
    package func encode(to encoder: any Encoder) throws { try encoder.encodeText(self) }
}
