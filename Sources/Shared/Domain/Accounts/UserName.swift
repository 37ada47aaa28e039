import Foundation

/// A validated user name.
package struct UserName: Hashable, Sendable {
    /// Characters. Long enough for any name, short enough for a menu.
    package static let maximumLength = 64
    /// Bytes: sixteen per character, so that stacked combining marks cannot make a short name huge.
    static let maximumBytes = 16 * maximumLength

    /// The trimmed input in Unicode NFC.
    package let text: String

    /// - Throws: `AppError.unprocessable` with the reason.
    package init(_ text: String) throws(AppError) {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines).precomposedStringWithCanonicalMapping
        guard !trimmed.folded.isEmpty else { throw AppError(.unprocessable, "The user name is empty.") }
        guard trimmed.count <= Self.maximumLength, trimmed.utf8.count <= Self.maximumBytes else {
            throw AppError(.unprocessable, "The user name is longer than \(Self.maximumLength) characters.")
        }
        // An @ marks an e-mail address at login, which accepts both. Folding turns its full-width and small forms into
        // one.
        guard !Self.folded(trimmed).contains("@") else {
            throw AppError(.unprocessable, "A user name can’t contain @.")
        }
        guard !trimmed.unicodeScalars.contains(where: \.properties.isControlOrInvisible) else {
            throw AppError(.unprocessable, "The user name contains a control or invisible character.")
        }
        // Names appear in mails to people who do not know the user.
        guard !Self.folded(trimmed).contains("://") else {
            throw AppError(.unprocessable, "A user name can’t contain a web address.")
        }
        self.text = trimmed
    }

    /// The common form of different spellings: the key for uniqueness and login.
    package static func folded(_ text: String) -> String { text.folded }
}

/// A validated display name: like a user name, but several people may have the same one.
package struct DisplayName: Hashable, Sendable {
    /// The trimmed input in Unicode NFC.
    package let text: String

    /// - Throws: `AppError.unprocessable` (`display-name-not-valid`).
    package init(_ text: String) throws(AppError) {
        do {
            self.text = try UserName(text).text
        } catch {
            throw AppError(
                .unprocessable,
                "A display name has up to \(UserName.maximumLength) visible characters, no @ and no web address.",
                reason: .displayNameNotValid)
        }
    }
}
