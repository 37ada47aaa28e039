import Domain
import Testing

@Suite struct SearchTermsTests {
    @Test func `Nothing but punctuation is no search`() {
        for typed in ["", "  ", "–", "„“ /"] {
            let terms = SearchTerms(typed)
            #expect(terms.isEmpty)
            #expect(terms.rank(title: "anna") == nil && terms.rank(title: "") == nil)
        }
    }

    @Test(arguments: [
        ("an", "Anna Bell", "", SearchTerms.Rank.beginning), ("BE", "Anna Bell", "", .title),
        ("bell anna", "Anna Bell", "", .title), ("pair", "Shorter daily", "pair more", .text),
        ("daily pair", "Shorter daily", "pair more", .text), ("ort", "Shorter daily", "", .inside),
        ("änna", "„Anna“", "", .whole), ("22 nov", "9–22\u{a0}November 2026", "2026/24", .title),
        ("2026/24", "9–22\u{a0}November 2026", "2026/24", .text), ("2026 2", "2026/24", "", .beginning),
        ("2026/24", "2026/24", "", .whole), ("grosse", "Große Pause", "", .beginning),
        ("mueller", "Hanna Müller", "", .title), ("muller", "Hanna Müller", "", .title),
        ("lukasz", "Łukasz", "", .whole),
        ("o'brien", "Pat O’Brien", "", .title), ("obrien pat", "Pat O‘Brien", "", .title),
        ("müller kohler", "Müller-Köhler", "", .whole), ("ller", "Müller", "", .inside),
    ])
    func `A text is ranked by where the words are`(
        typed: String, title: String, text: String, rank: SearchTerms.Rank
    ) {
        #expect(SearchTerms(typed).rank(title: title, text: text) == rank)
    }

    @Test func `Two letters are not found inside a word, and every word is needed`() {
        #expect(SearchTerms("or").rank(title: "Shorter daily") == nil)
        #expect(SearchTerms("short weekly").rank(title: "Shorter daily") == nil)
    }

    @Test func `The words of the search are pieces of the text`() {
        let pieces = SearchTerms("da sho").pieces(of: "Shorter „daily“, Monday")
        #expect(pieces.map(\.text) == ["Sho", "rter „", "da", "ily“, Monday"])
        #expect(pieces.map(\.isHit) == [true, false, true, false])
        #expect(SearchTerms("x").pieces(of: "").isEmpty)
        for (typed, text, hit) in [
            ("mueller", "Hanna Müller!", "Müller"), ("muller", "Hanna Mu\u{308}ller", "Mu\u{308}ller"),
            ("strass", "Straße 5", "Straß"), ("brien", "O’Brien", "Brien"), ("o'bri", "O’Brien", "O’Bri"),
        ] {
            let hits = SearchTerms(typed).pieces(of: text).filter(\.isHit).map(\.text)
            #expect(hits == [hit], "\(typed)")
        }
        #expect(SearchTerms("aaa aa").pieces(of: "aaaa").map(\.text).joined() == "aaaa")
    }

    @Test func `An excerpt is cut around the first word found`() {
        let text = String(repeating: "word ", count: 60) + "needle" + String(repeating: " more", count: 60)
        let excerpt = SearchTerms("needle").excerpt(of: text, length: 60)
        #expect(excerpt.hasPrefix("…word") && excerpt.contains(" needle more") && excerpt.hasSuffix("more…"))
        #expect(excerpt.count <= 62)
        #expect(SearchTerms("x").excerpt(of: "short\ntext", length: 60) == "short text")
    }
}
