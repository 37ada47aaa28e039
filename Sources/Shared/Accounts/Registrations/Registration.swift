public import Foundation

/// A requested account that is not confirmed yet: it becomes a user when the mailed link is used.
public struct Registration: Hashable, Sendable {
    /// Identifies a registration.
    public typealias ID = Identifier<Registration>

    /// Also names the registration in the mail job and the link's token.
    public let id: ID
    /// As `User.name`.
    public let name: String
    /// As `User.email`; one registration per address, case-folded.
    public let email: String
    /// `crypt(5)` text of the chosen password.
    public let passwordHash: String
    /// Given by the address's domain.
    public let role: User.Role
    /// Language, `en` or `de`.
    public let locale: String
    /// The registration is removed after this instant.
    public let expires: Date

    /// Creates a registration as a store keeps it.
    public init(
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
