public import Foundation

/// A link's token as part of the link's action: a store uses up the token in the same transaction that performs the
/// action, so that no link is lost without its effect, and none takes effect twice.
///
/// Using a token removes it and all others of its purpose and subject. If callers race with tokens of one subject, one
/// succeeds.
public struct TokenClaim: Hashable, Sendable {
    /// As `OneTimeToken.hash`.
    let hash: [UInt8]
    /// The purpose the token must have.
    let purpose: OneTimeToken.Purpose
    /// The token must not have expired at this instant.
    let now: Date

    /// - Parameter text: from the link, so possibly made up.
    public init(_ text: String, for purpose: OneTimeToken.Purpose, at now: Date) {
        hash = OneTimeToken.hash(of: text)
        self.purpose = purpose
        self.now = now
    }
}

extension OneTimeTokenStore {
    /// The token that a claim would use at present; `nil` if there is none. Changes nothing.
    func find(_ claim: TokenClaim) async throws -> OneTimeToken? {
        try await find(hash: claim.hash, purpose: claim.purpose, at: claim.now)
    }
}

extension StoreTransaction {
    /// Uses up a token and all others of its purpose and subject.
    /// - Parameter isValid: whether the token is valid for its user, registration or invitation.
    /// - Throws: `AppError.linkExpired` if the token does not exist or is not valid.
    func take(_ claim: TokenClaim, if isValid: (OneTimeToken) throws -> Bool) throws {
        guard let token = try token(hash: claim.hash, purpose: claim.purpose, at: claim.now), try isValid(token) else {
            throw AppError.linkExpired
        }
        try deleteTokens(purpose: token.purpose, subject: token.subject)
    }
}

extension OneTimeToken {
    /// Whether the token is valid for this user: it belongs to them, they may log in, and the mail went to the required
    /// address. Services check it to show a page, stores again when they use the token.
    func counts(for user: User) -> Bool {
        let address: String? =
            switch purpose {
            case .passwordReset, .logIn: user.email
            case .emailChange: user.pendingEmail
            case .invitation, .registration, .setup: nil
            }
        guard let address, subject == user.id.description, !user.isDisabled else { return false }
        return EmailAddress.folded(address) == EmailAddress.folded(email)
    }

    /// Whether the token is valid for this registration: it belongs to it, it has not expired at `now`, and the mail
    /// went to its address.
    func counts(for registration: Registration, at now: Date) -> Bool {
        purpose == .registration && subject == registration.id.description && now < registration.expires
            && EmailAddress.folded(registration.email) == EmailAddress.folded(email)
    }
}

extension Set<OneTimeToken.Purpose> {
    /// All ways into an account that were opened before its password or address changed: an intruder may have requested
    /// them.
    static let intoAccount: Self = [.passwordReset, .emailChange, .logIn]
}
