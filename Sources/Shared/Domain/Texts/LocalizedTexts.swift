import Foundation

/// The texts of all pages, mails, charts and messages in one language, as they are at one moment.
///
/// A template reads a text as `words.SECTION.KEY`, code as `text("SECTION.KEY")`. A test compares the files with all
/// uses.
package struct LocalizedTexts: Sendable {
    package let language: MailLocale
    /// Every language of the installation with its own name, English first, then by code.
    package let languages: [Language]
    /// Texts by section and key.
    package let sections: [String: [String: String]]

    /// A language and its name in the language itself.
    package struct Language: Hashable, Sendable {
        package let locale: MailLocale
        /// `Deutsch`
        package let name: String

        /// Takes the name as it is in the language's file.
        package init(_ locale: MailLocale, name: String) {
            self.locale = locale
            self.name = name
        }
    }

    /// Uses these texts.
    package init(language: MailLocale = .english, languages: [Language] = [], sections: [String: [String: String]]) {
        self.language = language
        self.languages = languages
        self.sections = sections
    }

    /// The text of `SECTION.KEY`, or the key itself if it is missing.
    package func text(_ key: String) -> String {
        let parts = key.split(separator: ".", maxSplits: 1).map(String.init)
        return parts.count == 2 ? sections[parts[0]]?[parts[1]] ?? key : key
    }

    /// The text of `SECTION.KEY`, with each `{name}` replaced by its value. In one pass: a team called `{count}` keeps
    /// its name.
    package func text(_ key: String, _ values: [String: String]) -> String {
        Self.filled(text(key), values)
    }

    private static func filled(_ text: String, _ values: [String: String]) -> String {
        var filled = ""
        var rest = text[...]
        while let brace = rest.firstIndex(of: "{") {
            filled += String(rest[..<brace])
            rest = rest[rest.index(after: brace)...]
            if let end = rest.firstIndex(of: "}"), let value = values[String(rest[..<end])] {
                filled += value
                rest = rest[rest.index(after: end)...]
            } else {
                filled += "{"
            }
        }
        return filled + String(rest)
    }

    /// The text for a number: `SECTION.KEYOfOne` for one, `SECTION.KEY` for all others. That suffices for English,
    /// German and most others; a language with more forms (Unicode CLDR, "Language Plural Rules") words its texts so
    /// that the number stands apart.
    package func text(_ key: String, count: Int, _ values: [String: String]) -> String {
        text(count == 1 ? "\(key)OfOne" : key, values)
    }

    /// A happiness value with one decimal place, rounded half away from zero, and the language's separator: `7.4`.
    package func happiness(_ value: Double) -> String {
        let tenths = Int((min(max(value, 0), 10) * 10).rounded())
        return "\(tenths / 10)\(text("calendar.decimalPoint"))\(tenths % 10)"
    }

    /// A whole number, 0 or more, with the language's separator of thousands: `1,000`.
    package func number(_ value: Int) -> String {
        var digits = String(value)
        var groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        return ([digits] + groups).joined(separator: text("calendar.thousandsSeparator"))
    }

    /// A share of 0...1 as a whole percentage: `75%`.
    package func percent(_ share: Double) -> String {
        text("manage.percent", ["points": String(Int((share * 100).rounded()))])
    }

    /// `rtl` for a language that is written from right to left, otherwise `nil`: the value of an attribute `dir`.
    package var direction: String? { text("language.direction") == "rtl" ? "rtl" : nil }

    /// The section of the sentences that answers of the API have. Each one's key is the sentence in English.
    package static let apiSection = "api"

    /// A sentence of the API in this language, or in English if it has no translation.
    package func text(for sentence: Sentence) -> String {
        guard let text = sections[Self.apiSection]?[sentence.template] else { return sentence.english }
        var values: [String: String] = [:]
        for (place, value) in sentence.values.enumerated() {
            values[Sentence.placeholder(place)] =
                switch value {
                case .text(let text): text
                case .parts(let parts): parts.map { self.text(for: $0) }.joined(separator: ", ")
                }
        }
        return Self.filled(text, values)
    }

    /// An error in words for a page. The API answers with the error's own sentence.
    package func text(for error: AppError) -> String {
        sections["errors"]?[error.reason.rawValue] ?? text("errors.other")
    }

    /// The name of a language in the language itself, or its code if there are no texts in it.
    package func name(of locale: MailLocale) -> String {
        languages.first { $0.locale == locale }?.name ?? locale.rawValue
    }
}
