import Foundation

/// The texts of all pages in one language, from `TextCatalog`. A mail that says what a page says uses them too.
///
/// A template reads a text as `words.SECTION.KEY`, code as `text("SECTION.KEY")`. A test compares both files with all
/// uses.
package struct PageWords: Sendable {
    /// Texts by section and key.
    package let sections: [String: [String: String]]

    /// Uses these texts.
    package init(sections: [String: [String: String]]) {
        self.sections = sections
    }

    /// The text of `SECTION.KEY`, or the key itself if it is missing.
    package func text(_ key: String) -> String {
        let parts = key.split(separator: ".", maxSplits: 1).map(String.init)
        return parts.count == 2 ? sections[parts[0]]?[parts[1]] ?? key : key
    }

    /// The text of `SECTION.KEY`, with each `{name}` replaced by its value.
    package func text(_ key: String, _ values: [String: String]) -> String {
        values.reduce(text(key)) { $0.replacing("{\($1.key)}", with: $1.value) }
    }

    /// The text for a number: `SECTION.KEYOfOne` for one, `SECTION.KEY` for all others; that suffices for our two
    /// languages (Unicode CLDR, "Language Plural Rules").
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

    /// An error in the page's language: services write English messages, for programs.
    package func text(for error: AppError) -> String {
        sections["errors"]?[error.reason] ?? text("errors.other")
    }
}
