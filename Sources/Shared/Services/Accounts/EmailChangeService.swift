import Crypto
package import Domain
package import Foundation
package import Ports
package import Storage

/// Changes an account's e-mail address: requested by its owner, confirmed from the new mailbox, reported to the old
/// one. Administrators set another person's address through `UserAdministrationService`, the operator through `UserService`.
package struct EmailChangeService: Sendable {
    /// Mails an account may send to new addresses within `mailWindow`: the recipients may be strangers.
    package static let mailLimit = 5
    /// Seconds.
    package static let mailWindow: TimeInterval = 3_600

    private let store: any Store
    private let mails: MailJobs
    private let confirmation: PasswordConfirmation
    private let quotaKey: SymmetricKey
    private let ballotSecret: BallotSecret
    private let clock: WallClock

    /// - Parameter confirmation: checks the owner's password.
    package init(
        stores: Stores, secrets: Secrets, mails: MailJobs, confirmation: PasswordConfirmation, clock: WallClock
    ) {
        store = stores.rows
        self.mails = mails
        self.confirmation = confirmation
        ballotSecret = secrets.ballot
        quotaKey = DerivedKey.mailQuota.make(from: secrets.jwt)
        self.clock = clock
    }

    /// Has a link mailed to a new address; the old address stays valid until the link is used. An earlier link to a new
    /// address becomes invalid.
    ///
    /// The result does not reveal whether another account has the address, or every member could find out who has an
    /// account: in that case no mail is sent.
    /// - Parameter password: the present one; `nil` for a user without a password.
    /// - Throws: `AppError`: as `PasswordConfirmation.confirm`; `unprocessable` (`email-unchanged`) for their present
    ///   address, `tooManyRequests` (`too-many-mails`) with `retryAfter`.
    package func request(_ address: EmailAddress, password: String?, by principal: Principal) async throws {
        let user = try await confirmation.confirm(principal, password: password)
        guard EmailAddress.folded(address.text) != EmailAddress.folded(user.email) else {
            throw AppError(.unprocessable, "This is already your e-mail address.", reason: .emailUnchanged)
        }
        let key = SecureBytes.hmac(Data("email-change|\(user.id)".utf8), key: quotaKey)
        guard
            try await store.write({
                try $0.takeQuota(key, limit: Self.mailLimit, window: Self.mailWindow, at: clock.now)
            })
        else {
            throw AppError(
                .tooManyRequests, "You’ve requested too many e-mails. Please try again in an hour.",
                reason: .tooManyMails, retryAfter: Int(Self.mailWindow))
        }
        let update = UserUpdate(
            ifPasswordHashIs: user.passwordHash, pendingEmail: .set(address.text), endsTokens: [.emailChange])
        try await store.transaction { try $0.apply(update, to: user.id) }
        try await mails.emailChange(of: user.id)
    }

    /// The user of a link; `pendingEmail` is the address it confirms. Changes nothing.
    /// - Throws: `AppError.linkExpired`, `StorageError.unavailable`.
    package func account(of token: String) async throws -> User {
        try await owner(of: TokenClaim(token, for: .emailChange, at: clock.now)).user
    }

    /// Makes the new address the account's, once per link, and notifies the old one. Links and login codes issued
    /// before become invalid.
    /// - Throws: `AppError`: `unprocessable` (`link-expired`); `conflict` (`email-taken`) if another user took the address
    ///   first, after which no change is pending, `mailbox-in-team` if another account with the same mailbox is in one of
    ///   the user's teams, after which the link is still valid, `changed-meanwhile`.
    package func confirm(_ token: String) async throws {
        let claim = TokenClaim(token, for: .emailChange, at: clock.now)
        let (user, email) = try await owner(of: claim)
        do {
            // Fails if the password has just been changed: that discards the new address.
            try await store.transaction {
                try $0.apply(
                    UserUpdate(
                        ifPasswordHashIs: user.passwordHash, email: UserUpdate.NewEmail(email, secret: ballotSecret),
                        pendingEmail: .cleared, endsTokens: .intoAccount,
                        claim: claim, enqueueing: try mails.emailChanged(of: user.id, from: user.email)), to: user.id)
            }
        } catch let error as AppError where error.reason == .emailTaken {
            try await store.transaction { try $0.apply(UserUpdate(pendingEmail: .cleared, claim: claim), to: user.id) }
            throw error
        }
    }

    /// The user of a token, and the address it confirms.
    private func owner(of claim: TokenClaim) async throws -> (user: User, email: String) {
        guard let token = try await store.token(claim), let id = User.ID(token.subject),
            let user = try await store.user(id), token.isValid(for: user)
        else { throw AppError.linkExpired }
        return (user, token.email)
    }
}

extension UserUpdate {
    /// Adds an address that an administrator or the operator sets. It is the account's at once and without a link,
    /// because the person may no longer have the old mailbox.
    ///
    /// The old address is notified, and the account keeps the day, so that nobody takes over an account unseen. Links
    /// and login codes issued before become invalid, and so does a change that the owner has requested; sessions stay.
    /// - Parameter user: as read before. The update fails if their address has changed since.
    mutating func setEmail(
        _ address: EmailAddress, of user: User, secret: BallotSecret, mails: MailJobs, at now: Date
    ) throws {
        email = NewEmail(address.text, secret: secret, setOn: CalendarDay(instant: now, in: .gmt))
        ifEmailIs = user.email
        pendingEmail = .cleared
        endsTokens.formUnion(Set<OneTimeToken.Purpose>.intoAccount)
        job = try mails.emailChanged(of: user.id, from: user.email, byAdmin: true)
    }
}

extension EmailAddress {
    /// Whether it is the user's present address, case-folded.
    func isAddress(of user: User) -> Bool {
        Self.folded(text) == Self.folded(user.email)
    }
}

extension AppError {
    /// Admins change their own address in the settings, which ask for the password and mail a link.
    static let ownEmail = AppError(
        .unprocessable, "Please change your own e-mail address in your settings.", reason: .ownAccount)
}
