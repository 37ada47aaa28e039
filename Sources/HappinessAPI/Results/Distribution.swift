import Domain

/// The distribution of votes over 0 to 10, as the columns of `templates/partials/distribution.mustache`.
struct Distribution: Sendable {
    let columns: [Column]
    /// Text alternative for screen readers: `7: 3, 8: 2`.
    let text: String

    /// The column of one value; lengths in units of the drawing.
    struct Column: Sendable {
        /// 0...10.
        let value: Int
        /// Left edge and centre.
        let x: Int
        let middle: Int
        /// Top edge, counted from the top, and height.
        let y: Int
        let height: Int
        /// Vertical position of the number.
        let countY: Int
        /// The number of votes; `nil` for none.
        let count: String?
    }

    private static let pitch = 40
    private static let width = 30
    private static let floor = 170
    private static let tallest = 140

    /// - Parameter counts: eleven numbers.
    init(_ counts: [Int], words: LocalizedTexts) {
        let most = max(counts.max() ?? 1, 1)
        columns = counts.enumerated().map { value, count in
            // An empty column is a line, so that the scale stays visible.
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
