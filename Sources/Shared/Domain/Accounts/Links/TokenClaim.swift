package import Foundation

/// A link's token as part of the link's action: a store uses up the token in the same transaction that performs the
/// action, so that no link is lost without its effect, and none takes effect twice.
///
/// Using a token removes it and all others of its purpose and subject. If callers race with tokens of one subject, one
/// succeeds.
package struct TokenClaim: Hashable, Sendable {
    /// As `OneTimeToken.hash`.
    package let hash: [UInt8]
    /// The purpose the token must have.
    package let purpose: OneTimeToken.Purpose
    /// The token must not have expired at this instant.
    package let now: Date

    /// - Parameter text: from the link, so possibly made up.
    package init(_ text: String, for purpose: OneTimeToken.Purpose, at now: Date) {
        hash = OneTimeToken.hash(of: text)
        self.purpose = purpose
        self.now = now
    }
}

extension OneTimeToken {
    /// Whether the token is valid for this user: it belongs to them, they may log in, and the mail went to the required
    /// address. Services check it to show a page, stores again when they use the token.
    package func isValid(for user: User) -> Bool {
        let address: String? =
            switch purpose {
            case .passwordReset, .logIn: user.email
            case .emailChange: user.pendingEmail
            // It was not mailed, so no address is stored with it.
            case .calendar: ""
            case .invitation, .registration, .unconfirmedLogIn, .setup: nil
            }
        guard let address, subject == user.id.description, !user.isDisabled else { return false }
        return EmailAddress.folded(address) == EmailAddress.folded(email)
    }

    /// Whether the token is valid for this registration: it belongs to it, it has not expired at `now`, and the mail
    /// went to its address.
    package func isValid(for registration: Registration, at now: Date) -> Bool {
        purpose == .registration && subject == registration.id.description && now < registration.expires
            && EmailAddress.folded(registration.email) == EmailAddress.folded(email)
    }
}

extension Set<OneTimeToken.Purpose> {
    /// All ways to an account and its data that were opened before its password or address changed: an intruder may
    /// have requested them.
    package static let intoAccount: Self = [.passwordReset, .emailChange, .logIn, .calendar]
}
