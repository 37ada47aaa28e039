/// A day of the week. The raw value is its name in stores, forms and JSON; the order is that of ISO 8601.
package enum Weekday: String, Hashable, Sendable, CaseIterable, Codable, Comparable {
    case monday, tuesday, wednesday, thursday, friday, saturday, sunday

    /// The free days of a team that has not chosen others.
    package static let standardWeekend: Set<Weekday> = [.saturday, .sunday]

    /// Monday comes first.
    package static func < (left: Weekday, right: Weekday) -> Bool { left.place < right.place }

    private var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension CalendarDay {
    /// `weekday` by name.
    package var dayOfWeek: Weekday { Weekday.allCases[weekday - 1] }
}

/// Days of the week as one text: in order, separated by spaces; empty for none.
package struct WeekdayList: LosslessStringConvertible, Sendable {
    /// The days, without an order.
    package let days: Set<Weekday>

    /// Any days.
    package init(days: some Sequence<Weekday>) {
        self.days = Set(days)
    }

    /// `nil` if a word is not the name of a day.
    package init?(_ description: String) {
        let words = description.split(separator: " ")
        let days = words.compactMap { Weekday(rawValue: String($0)) }
        guard days.count == words.count else { return nil }
        self.init(days: days)
    }

    package var description: String { days.sorted().map(\.rawValue).joined(separator: " ") }
}
