import Foundation
import Shared

/// The texts of all pages in one language: `templates/messages/LANGUAGE.json`, an object of sections.
///
/// A template reads one as `words.SECTION.KEY`, code as `text("SECTION.KEY")`. A test holds both files and all uses
/// together.
struct PageWords: Sendable {
    /// Texts by section and key.
    let sections: [String: [String: String]]

    /// - Throws: an error of the file system or of the decoder: then the installation is not whole.
    init(_ language: PageLanguage, resources: Resources) throws {
        let data = try resources.data("templates/messages/\(language.rawValue).json")
        sections = try JSONDecoder().decode([String: [String: String]].self, from: data)
    }

    /// The text of `SECTION.KEY`, or the key itself should there be none.
    func text(_ key: String) -> String {
        let parts = key.split(separator: ".", maxSplits: 1).map(String.init)
        return parts.count == 2 ? sections[parts[0]]?[parts[1]] ?? key : key
    }

    /// The text of `SECTION.KEY` with `{name}` replaced by its value, for each name.
    func text(_ key: String, _ values: [String: String]) -> String {
        values.reduce(text(key)) { $0.replacing("{\($1.key)}", with: $1.value) }
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
