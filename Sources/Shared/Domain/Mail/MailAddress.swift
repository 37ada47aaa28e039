import Foundation

/// Text for a mail header: one line, without control or invisible characters, so that no value from outside can end a
/// header and begin another.
package struct HeaderText: Hashable, Sendable {
    /// Bytes. No real subject or name is longer.
    package static let maximumBytes = 512

    /// The trimmed input, in any script.
    package let text: String

    /// - Throws: `AppError.unprocessable` if it is empty, too long, or contains a control or invisible character.
    package init(_ text: String) throws(AppError) {
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        guard !trimmed.isEmpty, trimmed.utf8.count <= Self.maximumBytes else {
            throw AppError(.unprocessable, "A mail’s header is empty or too long.")
        }
        guard !trimmed.unicodeScalars.contains(where: \.properties.isControlOrInvisible) else {
            throw AppError(.unprocessable, "A mail’s header contains a control or invisible character.")
        }
        self.text = trimmed
    }
}

/// The sender or recipient of a mail.
package struct MailAddress: Hashable, Sendable {
    /// The address itself.
    package let email: EmailAddress
    /// Shown instead of the address.
    package let name: HeaderText?

    /// By default without a display name.
    package init(email: EmailAddress, name: HeaderText? = nil) {
        self.email = email
        self.name = name
    }

    /// Parses `Name <address>` or `address`, as used in a setting.
    /// - Throws: `AppError` if either part is not valid in a header.
    package init(_ text: String) throws(AppError) {
        guard let match = text.wholeMatch(of: /\s*([^<>]*?)\s*<([^<>]*)>\s*/) else {
            self.init(email: try EmailAddress(text))
            return
        }
        let name = String(match.1)
        self.init(email: try EmailAddress(String(match.2)), name: name.isEmpty ? nil : try HeaderText(name))
    }
}
