/// A search for people, teams or texts: each word of the input must occur, anywhere, in one of its forms (`SearchForm`).
///
/// What is searched is a *search text*, which stores keep beside the names: databases cannot fold letters, and the two
/// would differ in what they find.
package struct NameSearch: Hashable, Sendable {
    /// A word of the input. Both forms are the same for most.
    package struct Word: Hashable, Sendable {
        package let plain: String
        package let spelledOut: String
    }

    /// Characters of the input that are read.
    package static let maximumLength = 100
    /// Further words are ignored. With few words the stores need few statements.
    package static let maximumWords = 6

    /// One or more, none empty.
    package let words: [Word]

    /// - Parameters:
    ///   - typed: the input.
    ///   - atStart: whether each word must begin a word of the text.
    /// - Returns: `nil` if there is nothing to look for.
    package init?(_ typed: String, atStart: Bool = false) {
        let typed = String(typed.prefix(Self.maximumLength)).limited(to: 4 * Self.maximumLength)
        let start = atStart ? " " : ""
        let plain = SearchForm.plain.folded(typed).split(separator: " ")
        let spelledOut = SearchForm.spelledOut.folded(typed).split(separator: " ")
        words = zip(plain, spelledOut).prefix(Self.maximumWords).map {
            Word(plain: "\(start)\($0)", spelledOut: "\(start)\($1)")
        }
        if words.isEmpty { return nil }
    }

    /// The search text of some texts: all their forms, one a line, each after a space.
    package static func text(of texts: [String]) -> String {
        var lines: [String] = []
        for form in texts.flatMap(\.searchForms) where !form.isEmpty {
            let line = " \(form)"
            if !lines.contains(line) { lines.append(line) }
        }
        return lines.joined(separator: "\n")
    }

    /// Whether a search text has all words. Compares bytes, as the databases do.
    package func matches(_ text: String) -> Bool {
        words.allSatisfy {
            text.utf8.contains($0.plain.utf8) || text.utf8.contains($0.spelledOut.utf8)
        }
    }
}
