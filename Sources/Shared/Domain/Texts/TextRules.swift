import Foundation

/// The rules for customised texts. The program fills in and lays out all texts alike, so a customised one must fit in
/// the place of the original.
package enum TextRules {
    /// Characters. Three times the longest original text.
    package static let maximumLength = 1_000

    /// Texts that are not sentences, but parts of the format of dates and numbers.
    private static let fixed: Set<String> = [
        "calendar.months", "calendar.shortMonths", "calendar.decimalPoint", "calendar.thousandsSeparator",
        "language.name", "language.direction",
    ]

    /// Whether the text of this name can be customised. Promises to members stay unchanged (`LockedTexts`), and so do
    /// the sentences of the API.
    package static func canChange(_ name: String) -> Bool {
        !name.hasPrefix("\(LocalizedTexts.apiSection).") && !fixed.contains(name) && !LockedTexts.contains(name)
    }

    /// The placeholders in a text, such as `{team}`. In order, each once.
    package static func placeholders(of text: String) -> [String] {
        var found: [String] = []
        for match in text.matches(of: /\{[A-Za-z]\w*\}/) where !found.contains(String(match.output)) {
            found.append(String(match.output))
        }
        return found
    }

    /// The text to be stored: on one line, with the same spaces at its ends as the original, because some texts are
    /// parts of a sentence.
    /// - Throws: `AppError.unprocessable`: `text-empty`, `text-too-long`, `text-placeholders`, `text-not-text`.
    package static func validated(_ text: String, inPlaceOf original: String) throws(AppError) -> String {
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ").trimmingCharacters(in: .whitespaces)
        guard !line.isEmpty else {
            throw AppError(
                .unprocessable, "The text is empty. To get the original back, remove the custom one.",
                reason: .textEmpty)
        }
        let beginning = String(original.prefix(while: \.isWhitespace))
        let end = String(original.reversed().prefix(while: \.isWhitespace))
        let text = beginning + line + end
        guard text.count <= maximumLength, text.utf8.count <= 4 * maximumLength else {
            throw AppError(
                .unprocessable, "The text has more than \(maximumLength) characters.", reason: .textTooLong)
        }
        let isText = text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        guard isText else {
            throw AppError(.unprocessable, "The text contains a control character.", reason: .textNotText)
        }
        let needed = placeholders(of: original)
        guard Set(placeholders(of: text)) == Set(needed) else {
            let list = needed.isEmpty ? Sentence("none") : Sentence(verbatim: needed.joined(separator: ", "))
            throw AppError(
                .unprocessable, "The text must have the placeholders of the original and no others: \(part: list).",
                reason: .textPlaceholders)
        }
        return text
    }
}
