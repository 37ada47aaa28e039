import Domain
import TestSupport
import Testing

/// Sentences of the API, and their translations.
@Suite struct SentenceTests {
    @Test func `A template has a placeholder for each value`() {
        let name = "{b}"
        let sentence: Sentence = "The field \(name) has \(3) values" + ", and \(parts: ["a digit", "none"])."
        #expect(sentence.template == "The field {a} has {b} values, and {c}.")
        #expect(sentence.english == "The field {b} has 3 values, and a digit, none.")
        #expect(Sentence(verbatim: "as it is").english == "as it is")
    }

    @Test func `A sentence is translated with its values in place, and its parts too`() {
        let (english, german) = (Texts.original[.english], Texts.original[.german])
        let placeholder = "{a}"
        let rows: [(Sentence, String)] = [
            ("The field \(placeholder) is missing.", "Das Feld {a} fehlt."),
            (
                "There’s no placeholder {\("x")}. There are: \("{k}").",
                "Den Platzhalter {x} gibt es nicht. Es gibt: {k}."
            ),
            (
                "The password also needs: \(parts: ["an upper-case letter", "a digit"]).",
                "Dem Passwort fehlt noch: ein Großbuchstabe, eine Ziffer."
            ),
            ("Nobody has translated \("this").", "Nobody has translated this."),
            (Sentence(verbatim: "a digit"), "a digit"),
        ]
        for (sentence, translation) in rows {
            #expect(german.text(for: sentence) == translation)
            #expect(english.text(for: sentence) == sentence.english)
        }
    }

    @Test func `A rejected password is explained in German`() throws {
        let error = #expect(throws: AppError.self) {
            try PasswordPolicy.classes.check("lower case only", name: "anna", email: "anna@example.org")
        }
        let words = try Texts.original[.german].text(for: #require(error).sentence)
        #expect(words == "Dem Passwort fehlt noch: ein Großbuchstabe, eine Ziffer.")
    }

    /// They are a contract with programs, and no place for an installation's own words.
    @Test func `Sentences of the API cannot be customised`() {
        #expect(!TextRules.canChange("api.Please log in.") && TextRules.canChange("live.vote"))
    }
}
