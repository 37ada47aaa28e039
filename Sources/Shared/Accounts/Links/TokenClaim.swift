public import Foundation

/// A link's token as part of what the link is for: a store takes it in the very transaction that does that, so that no
/// link is lost without its effect, and none has it twice.
///
/// Taking it removes it and all others of its purpose and subject. Of callers that race with tokens of one subject, one
/// gets it.
public struct TokenClaim: Hashable, Sendable {
    /// As `OneTimeToken.hash`.
    let hash: [UInt8]
    /// What it must be for.
    let purpose: OneTimeToken.Purpose
    /// It must not have expired at this instant.
    let now: Date

    /// - Parameter text: from the link, or made up.
    public init(_ text: String, for purpose: OneTimeToken.Purpose, at now: Date) {
        hash = OneTimeToken.hash(of: text)
        self.purpose = purpose
        self.now = now
    }
}

extension OneTimeTokenStore {
    /// The token that a claim would take as things are; `nil` if there is none. Changes nothing.
    func find(_ claim: TokenClaim) async throws -> OneTimeToken? {
        try await find(hash: claim.hash, purpose: claim.purpose, at: claim.now)
    }
}

extension OneTimeToken {
    /// Whether it counts for this user: it is about them, they may log in, and the mail went to the address that it
    /// must have gone to. Services ask it to show a page, stores again when the token is taken.
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

    /// Whether it counts for this registration: it is about it, which has not expired at `now`, and the mail went to
    /// its address.
    func counts(for registration: Registration, at now: Date) -> Bool {
        purpose == .registration && subject == registration.id.description && now < registration.expires
            && EmailAddress.folded(registration.email) == EmailAddress.folded(email)
    }
}

extension Set<OneTimeToken.Purpose> {
    /// All ways into an account that were opened before its password or its address changed: whoever had been in it may
    /// have asked for them.
    static let intoAccount: Self = [.passwordReset, .emailChange, .logIn]
}
