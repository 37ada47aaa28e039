/// A search prefix as a range in the sort order: an index is read from its first match to its last.
struct TextPrefix: Hashable, Sendable {
    /// Case-folded like the texts.
    let text: String

    /// Sorts after all texts with the prefix. Both stores sort text by its UTF-8 bytes, and no text contains this code
    /// point: it is a noncharacter (Unicode 16, §23.7), which `UserName` and `TeamName` reject.
    var end: String { text + "\u{10FFFF}" }
}
