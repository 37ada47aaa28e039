/// What texts begin with that are looked for, as a range of their order: an index is read from its first match to its last.
struct TextPrefix: Hashable, Sendable {
    /// Folded as the texts are.
    let text: String

    /// Behind all texts with the prefix. Text is ordered by its bytes in UTF-8 in both stores, and no text has this
    /// character: it is none (Unicode 16, §23.7, noncharacters), and `UserName` and `TeamName` take none of these.
    var end: String { text + "\u{10FFFF}" }
}
