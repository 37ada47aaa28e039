/// The name of a sprint within its team: `2026/3`, or `2026/3b` if the team already had a `2026/3`.
///
/// Labels do not define an order: sort by the sprint's start.
package struct SprintLabel: Hashable, Sendable {
    /// Valid years of a label.
    package static let years = 1...9999
    /// Valid numbers of a label. No sprint gets 0, but the first clients write it around New Year.
    package static let numbers = 0...99

    /// The part before the slash: the ISO week-year of the sprint's start.
    package let year: Int
    /// The part after the slash.
    package let number: Int
    /// Empty, or one letter `b`...`z` that distinguishes sprints of the same year and number.
    package let suffix: String

    /// For parts computed by a calendar, which are not checked. For parts from outside use `init?(_:)`, which rejects
    /// invalid labels.
    package init(year: Int, number: Int, suffix: String = "") {
        self.year = year
        self.number = number
        self.suffix = suffix
    }

    /// The label with the same number one year earlier.
    package var yearBefore: SprintLabel { SprintLabel(year: year - 1, number: number, suffix: suffix) }

    /// This label or, if it is taken, the first free one with a suffix `b`, `c`, ... `z`.
    ///
    /// Nil if all are taken. That would need 26 sprints of one number and year, but each change of calendar lasts at
    /// least a week, and all calendars together put one number into at most a dozen different weeks.
    package func firstFree(among taken: Set<SprintLabel>) -> SprintLabel? {
        Self.suffixes.lazy
            .map { SprintLabel(year: year, number: number, suffix: $0) }
            .first { !taken.contains($0) }
    }

    /// The first free label with a later suffix than this one's, whether the earlier ones are free or not; `nil` if
    /// there is none.
    package func nextFree(among taken: Set<SprintLabel>) -> SprintLabel? {
        Self.suffixes.lazy
            .filter { $0 > suffix }
            .map { SprintLabel(year: year, number: number, suffix: $0) }
            .first { !taken.contains($0) }
    }

    private static let suffixes: [String] = [""] + "bcdefghijklmnopqrstuvwxyz".map { String($0) }
}

extension SprintLabel: LosslessStringConvertible {
    /// `year/number` and the suffix, without leading zeros: `2026/3`, `2026/3b`.
    package var description: String { "\(year)/\(number)\(suffix)" }

    /// Parses the result of `description` and nothing else: no leading zero (`2020/03`), space, sign or non-ASCII
    /// digit; year 1...9999, number 0...99, then at most one letter `b`...`z`.
    package init?(_ description: String) {
        var rest = description.utf8.prefix(Self.longest + 1)
        guard rest.count <= Self.longest, let year = Self.number(from: &rest), Self.years.contains(year),
            rest.popFirst() == UInt8(ascii: "/"),
            let number = Self.number(from: &rest), Self.numbers.contains(number)
        else { return nil }
        var suffix = ""
        if let letter = rest.popFirst() {
            guard (UInt8(ascii: "b")...UInt8(ascii: "z")).contains(letter), rest.isEmpty else { return nil }
            suffix = String(UnicodeScalar(letter))
        }
        self.init(year: year, number: number, suffix: suffix)
    }

    /// Length of `9999/99z` in bytes.
    private static let longest = 8

    /// Consumes leading digits; nil if there are none, or a zero precedes another digit.
    private static func number(from rest: inout Substring.UTF8View) -> Int? {
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard let first = digits.first, first != UInt8(ascii: "0") || digits.count == 1 else { return nil }
        rest = rest.dropFirst(digits.count)
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}

extension SprintLabel: Codable {
    /// Decodes the text of `description`.
    package init(from decoder: any Decoder) throws {
        self = try decoder.decodeText(as: Self.self)
    }

    /// Encodes the text of `description`.
    package func encode(to encoder: any Encoder) throws { try encoder.encodeText(self) }
}
