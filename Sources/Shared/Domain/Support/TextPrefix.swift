/// A search prefix as a range in the sort order: an index is read from its first match to its last.
package struct TextPrefix: Hashable, Sendable {
    /// Case-folded like the texts.
    package let text: String

    /// Begins with this text; an empty one matches every text.
    package init(text: String) {
        self.text = text
    }

    /// Sorts after all texts with the prefix. Both stores sort text by its UTF-8 bytes, and no text contains this code
    /// point: it is a noncharacter (Unicode 16, §23.7), which `UserName` and `TeamName` reject.
    package var end: String { text + "\u{10FFFF}" }
}
