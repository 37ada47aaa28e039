/// A text by a user with its line breaks. Templates write `<br>` between the lines, since Outlook ignores the style
/// `white-space`.
package struct MailParagraph: Sendable {
    /// At least one.
    package let lines: [Line]

    /// A line of the text.
    package struct Line: Sendable {
        /// Without its line break; may be empty.
        package let text: String
        /// Whether another line follows.
        package let isFollowed: Bool
    }

    /// Splits a text at its line breaks.
    package init(_ text: String) {
        let parts = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        lines = parts.enumerated().map { Line(text: String($1), isFollowed: $0 < parts.count - 1) }
    }
}
