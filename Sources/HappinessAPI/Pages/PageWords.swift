import Foundation
import Shared

/// The texts of all pages in one language, as `TextCatalog` has them.
///
/// A template reads one as `words.SECTION.KEY`, code as `text("SECTION.KEY")`. A test holds both files and all uses
/// together.
struct PageWords: Sendable {
    /// Texts by section and key.
    let sections: [String: [String: String]]

    /// The text of `SECTION.KEY`, or the key itself should there be none.
    func text(_ key: String) -> String {
        let parts = key.split(separator: ".", maxSplits: 1).map(String.init)
        return parts.count == 2 ? sections[parts[0]]?[parts[1]] ?? key : key
    }

    /// The text of `SECTION.KEY` with `{name}` replaced by its value, for each name.
    func text(_ key: String, _ values: [String: String]) -> String {
        values.reduce(text(key)) { $0.replacing("{\($1.key)}", with: $1.value) }
    }

    /// The text for a number of things: `SECTION.KEYOfOne` for one, `SECTION.KEY` for every other number, as both of our
    /// languages have it (Unicode CLDR, "Language Plural Rules").
    func text(_ key: String, count: Int, _ values: [String: String]) -> String {
        text(count == 1 ? "\(key)OfOne" : key, values)
    }

    /// A happiness with one decimal place, half away from zero, and the language's separator: `7.4`.
    func happiness(_ value: Double) -> String {
        let tenths = Int((min(max(value, 0), 10) * 10).rounded())
        return "\(tenths / 10)\(text("calendar.decimalPoint"))\(tenths % 10)"
    }

    /// A refusal in the page's language: services write theirs in English, for programs.
    func text(for error: AppError) -> String {
        sections["errors"]?[error.reason] ?? text("errors.other")
    }
}
