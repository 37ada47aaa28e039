import Foundation

/// Text that may stand in a mail's header: one line, without control or invisible characters, so that no value from
/// outside can end a header and begin another.
public struct HeaderText: Hashable, Sendable {
    /// Bytes. A header of more is nobody's subject and nobody's name.
    public static let maximumBytes = 512

    /// As given, without white space at the ends; any script.
    public let text: String

    /// - Throws: `AppError.refused` if it is empty, too long, or holds a control or invisible character.
    public init(_ text: String) throws(AppError) {
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        guard !trimmed.isEmpty, trimmed.utf8.count <= Self.maximumBytes else {
            throw AppError(.refused, "A mail's header is empty or too long.")
        }
        guard !trimmed.unicodeScalars.contains(where: \.properties.isControlOrInvisible) else {
            throw AppError(.refused, "A mail's header contains a control or invisible character.")
        }
        self.text = trimmed
    }
}

/// Somebody a mail comes from or goes to.
public struct MailAddress: Hashable, Sendable {
    /// Where to.
    public let email: EmailAddress
    /// Shown instead of the address.
    public let name: HeaderText?

    /// An address, with the name that is shown for it.
    public init(email: EmailAddress, name: HeaderText? = nil) {
        self.email = email
        self.name = name
    }

    /// Reads `Name <address>` or `address`, as a setting has it.
    /// - Throws: `AppError` if either part is not fit for a header.
    public init(_ text: String) throws(AppError) {
        guard let match = text.wholeMatch(of: /\s*([^<>]*?)\s*<([^<>]*)>\s*/) else {
            self.init(email: try EmailAddress(text))
            return
        }
        let name = String(match.1)
        self.init(email: try EmailAddress(String(match.2)), name: name.isEmpty ? nil : try HeaderText(name))
    }
}
