import Foundation

/// The words of a search, and how well a text matches them.
///
/// Every word must occur in the text, at the start of one of its words; one of three letters or more also inside. Case,
/// accents and punctuation do not matter: `anna`, `Änna` and `„ANNA“` are the same.
package struct SearchTerms: Hashable, Sendable {
    /// How well a text matches; the smallest is the best.
    package enum Rank: Int, Comparable, Sendable {
        /// The title is the search.
        case whole
        /// The title begins with the search.
        case beginning
        /// Every word begins a word of the title.
        case title
        /// Every word begins a word of the title or of the rest.
        case text
        /// Some word occurs only inside another one.
        case inside

        package static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
    }

    /// A part of a text.
    package struct Piece: Hashable, Sendable {
        package let text: String
        /// Whether it is a word of the search.
        package let isHit: Bool
    }

    /// Characters of the input that are read, which bounds the work.
    package static let maximumLength = 100
    /// Letters that a word needs to be found inside another one: "e" is in nearly every word.
    private static let leastInside = 3

    private let words: [String]

    /// Splits a user's input, which may end with an incomplete word.
    package init(_ typed: String) {
        words = Self.words(of: String(typed.prefix(Self.maximumLength)))
    }

    /// Whether there is nothing to look for.
    package var isEmpty: Bool { words.isEmpty }

    /// How well a text matches; `nil` if it does not.
    /// - Parameter text: belongs to the title, but is less important.
    package func rank(title: String, text: String = "") -> Rank? {
        guard !words.isEmpty else { return nil }
        let title = Self.folded(title)
        let search = words.map { " " + $0 }.joined()
        if title == search { return .whole }
        if title.hasPrefix(search) { return .beginning }
        if words.allSatisfy({ title.contains(" " + $0) }) { return .title }
        let all = title + Self.folded(text)
        if words.allSatisfy({ all.contains(" " + $0) }) { return .text }
        return words.allSatisfy { all.contains(" " + $0) || ($0.count >= Self.leastInside && all.contains($0)) }
            ? .inside : nil
    }

    /// The text in pieces, so that a page can mark the words of the search. Together they are the text.
    package func pieces(of text: String) -> [Piece] {
        var pieces: [Piece] = []
        var rest = text.startIndex
        for hit in hits(in: text) where hit.lowerBound >= rest {
            if rest < hit.lowerBound { pieces.append(Piece(text: String(text[rest..<hit.lowerBound]), isHit: false)) }
            pieces.append(Piece(text: String(text[hit]), isHit: true))
            rest = hit.upperBound
        }
        if rest < text.endIndex { pieces.append(Piece(text: String(text[rest...]), isHit: false)) }
        return pieces
    }

    /// About `length` characters of a long text around the first word of the search, cut between words.
    package func excerpt(of text: String, length: Int) -> String {
        let text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard text.count > length else { return text }
        let hit = hits(in: text).first?.lowerBound ?? text.startIndex
        // A third before the word gives it some context.
        var start = text.index(hit, offsetBy: -(length / 3), limitedBy: text.startIndex) ?? text.startIndex
        if start > text.startIndex, let space = text[start..<hit].firstIndex(of: " ") {
            start = text.index(after: space)
        }
        var end = text.index(start, offsetBy: length, limitedBy: text.endIndex) ?? text.endIndex
        if end < text.endIndex, let space = text[start..<end].lastIndex(of: " "), space > hit { end = space }
        return (start > text.startIndex ? "…" : "") + text[start..<end] + (end < text.endIndex ? "…" : "")
    }

    /// Where the words are, in order.
    private func hits(in text: String) -> [Range<String.Index>] {
        words.flatMap { word in
            var found: [Range<String.Index>] = []
            var rest = text.startIndex..<text.endIndex
            while let hit = text.range(of: word, options: [.caseInsensitive, .diacriticInsensitive], range: rest) {
                let begins = hit.lowerBound == text.startIndex || !text[text.index(before: hit.lowerBound)].isInWord
                if begins || word.count >= Self.leastInside { found.append(hit) }
                rest = hit.upperBound..<text.endIndex
            }
            return found
        }.sorted { $0.lowerBound < $1.lowerBound }
    }

    /// The words of a text, each after a space: a word begins with a search if `" " + search` occurs.
    private static func folded(_ text: String) -> String {
        words(of: text).map { " " + $0 }.joined()
    }

    private static func words(of text: String) -> [String] {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil).split { !$0.isInWord }
            .map(String.init)
    }
}

extension Character {
    fileprivate var isInWord: Bool { isLetter || isNumber }
}
