package import Foundation

/// A requested account that is not confirmed yet: it becomes a user when the mailed link is used.
package struct Registration: Hashable, Sendable {
    /// Identifies a registration.
    package typealias ID = Identifier<Registration>

    /// Also names the registration in the mail job and the link's token.
    package let id: ID
    /// As `User.name`.
    package let name: String
    /// As `User.email`; one registration per address, case-folded.
    package let email: String
    /// `crypt(5)` text of the chosen password.
    package let passwordHash: String
    /// Given by the address's domain.
    package let role: User.Role
    /// Language, `en` or `de`.
    package let locale: String
    /// The registration is removed after this instant.
    package let expires: Date

    /// Creates a registration as a store keeps it.
    package init(
        id: ID = .random(), name: String, email: String, passwordHash: String, role: User.Role, locale: String,
        expires: Date
    ) {
        self.id = id
        self.name = name
        self.email = email
        self.passwordHash = passwordHash
        self.role = role
        self.locale = locale
        self.expires = expires
    }
}
