import Shared

/// How answers are spread over 0 to 10, as the columns of `templates/partials/distribution.mustache`.
struct Distribution: Sendable {
    let columns: [Column]
    /// For those who do not see the columns: `7: 3, 8: 2`.
    let text: String

    /// One value's answers; lengths in the drawing's units.
    struct Column: Sendable {
        /// 0...10.
        let value: Int
        /// Its place from the left, and its middle.
        let x: Int
        let middle: Int
        /// Where the column begins, counted from the top, and how high it is.
        let y: Int
        let height: Int
        /// Where its number stands.
        let countY: Int
        /// How many answers; `nil` for none.
        let count: String?
    }

    private static let pitch = 40
    private static let width = 30
    private static let floor = 170
    private static let tallest = 140

    /// - Parameter counts: eleven.
    init(_ counts: [Int], words: PageWords) {
        let most = max(counts.max() ?? 1, 1)
        columns = counts.enumerated().map { value, count in
            // Nothing is a line, so that the scale can be seen.
            let height = count == 0 ? 2 : max(count * Self.tallest / most, 6)
            let x = value * Self.pitch + (Self.pitch - Self.width) / 2
            return Column(
                value: value, x: x, middle: x + Self.width / 2, y: Self.floor - height, height: height,
                countY: Self.floor - height - 8, count: count == 0 ? nil : String(count))
        }
        let parts = counts.enumerated().filter { $0.element > 0 }.map { value, count in
            words.text("sprint.column", ["value": String(value), "count": String(count)])
        }
        text = parts.joined(separator: ", ")
    }
}
