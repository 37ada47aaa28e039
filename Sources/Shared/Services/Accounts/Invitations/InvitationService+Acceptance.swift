package import Domain
import Foundation
import Ports
import Storage

/// For invited people. A link mailed to an account's address is sufficient consent for that account to join: only its
/// owner has the link.
extension InvitationService {
    /// The offer behind a link. Changes nothing.
    /// - Throws: `AppError`: `unprocessable` (`link-expired`, also if the inviter is no longer allowed to invite;
    ///   `own-invitation`), `forbidden` (`account-disabled`), `conflict` (`email-taken`) if there is no team to join
    ///   and the address already has an account.
    package func offer(token text: String) async throws -> InvitationOffer {
        let hash = OneTimeToken.hash(of: text)
        guard let token = try await store.read({ try $0.token(hash: hash, purpose: .invitation, at: clock.now) }),
            let id = Invitation.ID(token.subject), let invitation = try await store.read({ try $0.invitation(id) }),
            EmailAddress.folded(invitation.email) == EmailAddress.folded(token.email)
        else { throw AppError.linkExpired }
        let facts = try await store.transaction { try $0.facts(of: invitation) }
        if let rejection = facts.rejection(at: clock.now) { throw rejection }
        return InvitationOffer(
            invitation: invitation, teamName: facts.team?.name,
            account: facts.account.map { InvitationOffer.Account(name: $0.name, locale: $0.locale) })
    }

    /// Creates the account, or uses the existing one of the address, and adds it to the team. A rejected attempt leaves
    /// the link valid. `StoreTransaction.acceptInvitation` describes races.
    /// - Parameters:
    ///   - name: for a new account; ignored, like `password` and `language`, if the address has an account.
    ///   - language: that of the form, which the new account keeps; `nil` for the invitation's.
    /// - Throws: what `offer` throws; `AppError`: `unprocessable` (`account-needed`) without name and password for an address
    ///   without an account, or with the reason why they are rejected, `conflict` (`name-taken`), `unavailable`.
    package func accept(
        token text: String, name: String?, password: String?, language: MailLocale? = nil
    ) async throws -> AcceptedInvitation {
        let offer = try await offer(token: text)
        var newcomer: InvitedNewcomer?
        if offer.account == nil {
            guard let name, let password else { throw AppError.accountNeeded }
            newcomer = try await self.newcomer(
                name: name, password: password, language: language, invitedBy: offer.invitation)
        }
        return try await store.transaction { [newcomer] rows in
            try rows.acceptInvitation(
                tokenHash: OneTimeToken.hash(of: text), newcomer: newcomer, secret: secret, at: clock.now)
        }
    }

    private func newcomer(
        name: String, password: String, language: MailLocale?, invitedBy invitation: Invitation
    ) async throws -> InvitedNewcomer {
        let name = try UserName(name)
        try policy.check(password, name: name.text, email: invitation.email)
        // Checked early to save the hashing; the store checks again.
        guard try await store.user(login: name.text) == nil else { throw AppError.nameTaken }
        return InvitedNewcomer(name: name, passwordHash: try await hasher.hash(password), language: language)
    }
}
