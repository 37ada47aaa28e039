/// A user's identity at an OpenID provider (OpenID Connect Core 1.0 §5.7: issuer and subject together, never the
/// address).
package struct ExternalIdentity: Hashable, Sendable {
    /// The provider's `iss`.
    package let issuer: String
    /// The provider's `sub`.
    package let subject: String
    package let userID: User.ID
    /// A keyed hash of the address that the provider has named last, so that the store keeps no former address; `nil`
    /// for an identity of 0.1.0 that has not been used since.
    package let emailMark: String?

    /// Creates an identity as a store keeps it.
    package init(issuer: String, subject: String, userID: User.ID, emailMark: String? = nil) {
        self.issuer = issuer
        self.subject = subject
        self.userID = userID
        self.emailMark = emailMark
    }
}
