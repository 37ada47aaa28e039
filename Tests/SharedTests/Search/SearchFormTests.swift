import Domain
import Testing

@Suite struct SearchFormTests {
    @Test(arguments: [
        ("Anna", "anna", "anna"), ("Müller", "muller", "mueller"), ("MU\u{308}LLER", "muller", "mueller"),
        ("Straße", "strasse", "strasse"), ("GROẞ", "gross", "gross"), ("Łukasz Đặng", "lukasz dang", "lukasz dang"),
        ("Ærø", "aero", "aeroe"), ("Åse", "ase", "aase"), ("İnci Işık", "inci isik", "inci isik"),
        ("Pat O’Brien", "pat obrien", "pat obrien"), ("O\u{B4}Brien", "obrien", "obrien"),
        ("Anna-Lena\u{A0}Ｂ", "anna lena b", "anna lena b"), ("ΟΔΟΣ", "οδοσ", "οδοσ"), ("Йёж", "иеж", "иеж"),
        ("\u{645}\u{6CC}\u{200C}\u{646}\u{627}", "\u{645}\u{6CC}\u{646}\u{627}", "\u{645}\u{6CC}\u{646}\u{627}"),
        ("a%_.*", "a%_.*", "a%_.*"), ("'\u{200D}\u{7}", "", ""),
    ])
    func `Letters lose what people do not type`(text: String, plain: String, spelledOut: String) {
        #expect(SearchForm.plain.folded(text).unicodeScalars.elementsEqual(plain.unicodeScalars))
        #expect(SearchForm.spelledOut.folded(text).unicodeScalars.elementsEqual(spelledOut.unicodeScalars))
    }

    @Test func `A search needs all its words, in either form`() throws {
        let text = NameSearch.text(of: ["Hanna Müller-Köhler", "h@example.org"])
        for typed in ["muller", "mueller", "mueller kohler", "HLER", "köhler h", "h@ex", "  hanna  "] {
            let search = try #require(NameSearch(typed))
            #expect(search.matches(text), "\(typed)")
        }
        for typed in ["miller", "hanna q", "rh"] {
            let search = try #require(NameSearch(typed))
            #expect(!search.matches(text), "\(typed)")
        }
        let (beginning, inside) = (NameSearch("koh", atStart: true), NameSearch("hler", atStart: true))
        #expect(beginning?.matches(text) == true && inside?.matches(text) == false)
        #expect(NameSearch(" ' ") == nil && NameSearch("–") == nil)
        let long = try #require(NameSearch(String(repeating: "x ", count: 1_000)))
        #expect(long.words.count == NameSearch.maximumWords)
        // One character, which would be a longer regular expression than MongoDB takes.
        let character = try #require(NameSearch("a" + String(repeating: "\u{1F3FB}", count: 10_000)))
        #expect(character.words.allSatisfy { $0.plain.utf8.count <= 16 * NameSearch.maximumLength })
    }
}
