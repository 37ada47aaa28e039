/// The texts of all languages, as they are at one moment.
package struct Texts: Sendable {
    private let words: [MailLocale: LocalizedTexts]

    /// Takes the texts by language; English should be among them.
    package init(_ words: [MailLocale: LocalizedTexts]) {
        self.words = words
    }

    /// Every language that has texts, English first, then by code.
    package var languages: [MailLocale] { words.keys.sorted() }

    /// The texts of a language; the English ones if it has none.
    package subscript(locale: MailLocale) -> LocalizedTexts {
        words[locale] ?? words[.english] ?? LocalizedTexts(sections: [:])
    }
}
