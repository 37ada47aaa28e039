/// A day of the proleptic Gregorian calendar without time or zone, from 0001-01-01 to 9999-12-31.
///
/// Plain arithmetic on day numbers instead of `Foundation.Calendar`, because every request needs the running sprint.
package struct CalendarDay: Hashable, Sendable {
    /// Supported years: those that ISO 8601 writes with four digits without further agreement.
    package static let years = 1...9999

    /// The calendar year, 1...9999. Not the ISO week-year: see `isoWeek`.
    package let year: Int
    /// The month, 1 (January) ... 12.
    package let month: Int
    /// The day of the month, 1...31.
    package let day: Int

    /// Returns nil if the calendar has no such day (30 February, month 13, year 0).
    package init?(year: Int, month: Int, day: Int) {
        guard Self.years.contains(year), (1...12).contains(month),
            (1...Self.length(ofMonth: month, year: year)).contains(day)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Whether February of the year has 29 days (Gregorian rule).
    private static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    private static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// For day numbers known to be in range; `CalendarDay+Arithmetic.swift` is the only caller.
    init(knownYear year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }
}

extension CalendarDay: Comparable {
    /// Whether the left day is earlier.
    package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    /// A number that is larger for a later day. Comparing tuples looks up their type each time, and that is slow in
    /// debug builds.
    private var rank: Int { (year * 100 + month) * 100 + day }
}

extension CalendarDay: LosslessStringConvertible {
    /// ISO 8601 extended format, always ten characters: `2026-01-05`.
    package var description: String {
        "\(Self.padded(year, to: 4))-\(Self.padded(month, to: 2))-\(Self.padded(day, to: 2))"
    }

    /// Parses what `description` prints and nothing else: ten ASCII characters, no sign, no space.
    package init?(_ description: String) {
        let bytes = Array(description.utf8)
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let year = Self.number(bytes[0..<4]), let month = Self.number(bytes[5..<7]),
            let day = Self.number(bytes[8..<10])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    private static func padded(_ number: Int, to length: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, length - digits.count)) + digits
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        var result = 0
        for byte in bytes {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            result = result * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return result
    }
}

extension CalendarDay: Codable {
    /// Decodes the text of `description`.
    package init(from decoder: any Decoder) throws {
        self = try decoder.decodeText(as: Self.self)
    }

    /// Encodes the text of `description`.
    package func encode(to encoder: any Encoder) throws { try encoder.encodeText(self) }
}
