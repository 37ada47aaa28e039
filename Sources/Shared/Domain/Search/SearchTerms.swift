import Foundation

/// The words of a search, and how well a text matches them.
///
/// Every word must occur in the text, at the start of one of its words; one of three letters or more also inside. Case,
/// accents and punctuation do not matter: `anna`, `Änna` and `„ANNA“` are the same, and `mueller` is `Müller`.
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

    /// Each word in its forms.
    private let words: [[String]]
    /// The whole search in its forms, as `folded`.
    private let searches: [String]

    /// Splits a user's input, which may end with an incomplete word.
    package init(_ typed: String) {
        let typed = String(typed.prefix(Self.maximumLength)).limited(to: 4 * Self.maximumLength)
        let forms = Self.words(of: typed)
        words = (forms.first ?? []).indices.map { place in
            forms.compactMap { place < $0.count ? $0[place] : nil }
        }
        searches = Self.folded(typed)
    }

    /// Whether there is nothing to look for.
    package var isEmpty: Bool { words.isEmpty }

    /// How well a text matches; `nil` if it does not.
    /// - Parameter text: belongs to the title, but is less important.
    package func rank(title: String, text: String = "") -> Rank? {
        guard !words.isEmpty else { return nil }
        let titles = Self.folded(title)
        if titles.contains(where: { searches.contains($0) }) { return .whole }
        if titles.contains(where: { title in searches.contains { title.hasPrefix($0) } }) { return .beginning }
        if words.allSatisfy({ Self.begins($0, in: titles) }) { return .title }
        let all = titles + Self.folded(text)
        if words.allSatisfy({ Self.begins($0, in: all) }) { return .text }
        return words.allSatisfy { Self.begins($0, in: all) || Self.isInside($0, of: all) } ? .inside : nil
    }

    /// Whether a word in one of its forms begins a word of the texts.
    private static func begins(_ word: [String], in texts: [String]) -> Bool {
        texts.contains { text in word.contains { text.contains(" " + $0) } }
    }

    private static func isInside(_ word: [String], of texts: [String]) -> Bool {
        texts.contains { text in word.contains { $0.count >= leastInside && text.contains($0) } }
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
        let searched = Set(words.flatMap(\.self)).map { Array($0) }
        var found: [Range<String.Index>] = []
        for form in SearchForm.allCases {
            // Where each folded letter comes from.
            var letters: [Character] = []
            var places: [String.Index] = []
            for place in text.indices {
                for letter in form.folded(String(text[place])) {
                    letters.append(letter)
                    places.append(place)
                }
            }
            for word in searched {
                var start = 0
                while start + word.count <= letters.count {
                    let end = start + word.count
                    let place = places[start]
                    let begins = place == text.startIndex || !text[text.index(before: place)].isInWord
                    guard begins || word.count >= Self.leastInside, letters[start..<end].elementsEqual(word) else {
                        start += 1
                        continue
                    }
                    found.append(place..<text.index(after: places[end - 1]))
                    start = end
                }
            }
        }
        return found.sorted { $0.lowerBound < $1.lowerBound }
    }

    /// The text in its forms, with each word after a space: a word begins with a search if `" " + search` occurs.
    private static func folded(_ text: String) -> [String] {
        words(of: text).map { words in words.map { " " + $0 }.joined() }
    }

    /// The words of each form of the text.
    private static func words(of text: String) -> [[String]] {
        text.searchForms.map { form in form.split { !$0.isInWord }.map(String.init) }
    }
}

extension Character {
    fileprivate var isInWord: Bool { isLetter || isNumber }
}
