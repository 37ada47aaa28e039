import Foundation

/// A validated team name.
package struct TeamName: Hashable, Sendable {
    /// Characters.
    package static let maximumLength = 80
    /// Bytes: sixteen per character, so that stacked combining marks cannot make a short name huge.
    static let maximumBytes = 16 * maximumLength

    /// The trimmed input in Unicode NFC.
    package let text: String

    /// - Throws: `AppError.unprocessable` with the reason.
    package init(_ text: String) throws(AppError) {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines).precomposedStringWithCanonicalMapping
        guard !trimmed.folded.isEmpty else { throw AppError(.unprocessable, "The team’s name is empty.") }
        guard trimmed.count <= Self.maximumLength, trimmed.utf8.count <= Self.maximumBytes else {
            throw AppError(.unprocessable, "The team’s name is longer than \(Self.maximumLength) characters.")
        }
        guard !trimmed.unicodeScalars.contains(where: \.properties.isControlOrInvisible) else {
            throw AppError(.unprocessable, "The team’s name contains a control or invisible character.")
        }
        // As in a user name.
        guard !trimmed.folded.contains("://") else {
            throw AppError(.unprocessable, "A team’s name can’t contain a web address.")
        }
        self.text = trimmed
    }
}
