/// The name of a sprint within its team: `2026/3`, or `2026/3b` when the team already had a `2026/3`.
///
/// Labels name, they do not order: order by the sprint's start.
public struct SprintLabel: Hashable, Sendable {
    /// Years a label can have.
    public static let years = 1...9999
    /// Numbers a label can have. 0 is never given to a sprint, but the first clients write it around New Year.
    public static let numbers = 0...99

    /// The part before the slash: the ISO week-year of the sprint's start.
    public let year: Int
    /// The part after the slash.
    public let number: Int
    /// Empty, or one letter `b`...`z` that tells sprints of the same year and number apart.
    public let suffix: String

    /// A label by its parts, for sprints that a calendar computed. Nothing is checked here: parts that come from
    /// outside go through `init?(_:)`, which refuses what does not print to a valid label.
    public init(year: Int, number: Int, suffix: String = "") {
        self.year = year
        self.number = number
        self.suffix = suffix
    }

    /// The label of the same number a year before.
    public var yearBefore: SprintLabel { SprintLabel(year: year - 1, number: number, suffix: suffix) }

    /// This label or, when it is taken, the first free one with a suffix `b`, `c`, ... `z`.
    ///
    /// Nil when all are taken. That takes 26 sprints of one number and year, while every change of calendar lasts
    /// at least a week, and the calendars together put one number into no more than a dozen different weeks.
    public func firstFree(among taken: Set<SprintLabel>) -> SprintLabel? {
        let letters = "bcdefghijklmnopqrstuvwxyz".map(String.init)
        return ([""] + letters).lazy
            .map { SprintLabel(year: year, number: number, suffix: $0) }
            .first { !taken.contains($0) }
    }
}

extension SprintLabel: LosslessStringConvertible {
    /// `year/number` and the suffix, without leading zeros: `2026/3`, `2026/3b`.
    public var description: String { "\(year)/\(number)\(suffix)" }

    /// Parses what `description` prints and nothing else: no leading zero (`2020/03`), space, sign or digit
    /// other than ASCII; year 1...9999, number 0...99, at most one letter `b`...`z` behind.
    public init?(_ description: String) {
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

    /// Bytes of `9999/99z`.
    private static let longest = 8

    /// Takes digits off the front; nil without any, or with a zero before another digit.
    private static func number(from rest: inout Substring.UTF8View) -> Int? {
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard let first = digits.first, first != UInt8(ascii: "0") || digits.count == 1 else { return nil }
        rest = rest.dropFirst(digits.count)
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}

extension SprintLabel: Codable {
    /// Decodes the text of `description`.
    public init(from decoder: any Decoder) throws {
        self = try decoder.decodeText(as: Self.self)
    }

    /// Encodes the text of `description`.
    public func encode(to encoder: any Encoder) throws {
        try encoder.encodeText(self)
    }
}
