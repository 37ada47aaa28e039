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

    /// A refusal in the page's language: services write theirs in English, for programs.
    func text(for error: AppError) -> String {
        sections["errors"]?[error.reason] ?? text("errors.other")
    }
}
