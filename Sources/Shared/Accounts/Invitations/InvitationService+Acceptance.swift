import Foundation

/// For those who are invited. Holding a link that went to an account's address is consent enough for that account to
/// join; nobody else has it.
extension InvitationService {
    /// What a link invites to. Changes nothing.
    /// - Throws: `AppError`: `refused` (`link-expired`, also when who invited may not any more; `own-invitation`),
    ///   `forbidden` (`account-disabled`), `conflict` (`email-taken`) if there is no team to join and the address has an
    ///   account by now.
    public func offer(token text: String) async throws -> InvitationOffer {
        let hash = OneTimeToken.hash(of: text)
        guard let token = try await stores.tokens.find(hash: hash, purpose: .invitation, at: clock.now),
            let id = Invitation.ID(token.subject), let invitation = try await stores.invitations.find(id: id),
            EmailAddress.folded(invitation.email) == EmailAddress.folded(token.email)
        else { throw AppError.linkExpired }
        let facts = try await InvitationFacts.read(invitation, from: stores)
        if let refusal = facts.refusal(at: clock.now) { throw refusal }
        return InvitationOffer(
            invitation: invitation, teamName: facts.team?.name,
            account: facts.account.map { InvitationOffer.Account(name: $0.name, locale: $0.locale) })
    }

    /// Makes the account, or takes the one that the address has, and lets it into the team. A refusal leaves the link as
    /// it was; who wins when several things happen at once says `InvitationStore.accept`.
    /// - Parameters:
    ///   - name: for a new account; not looked at if the address has one, and `password` likewise.
    /// - Throws: what `offer` throws; `AppError`: `refused` (`account-needed`) without name and password for an address
    ///   without an account, or with the reason why these will not do, `conflict` (`name-taken`), `unavailable`.
    public func accept(token text: String, name: String?, password: String?) async throws -> AcceptedInvitation {
        let offer = try await offer(token: text)
        var newcomer: InvitedNewcomer?
        if offer.account == nil {
            guard let name, let password else { throw AppError.accountNeeded }
            newcomer = try await self.newcomer(name: name, password: password, invitedBy: offer.invitation)
        }
        return try await stores.invitations.accept(
            tokenHash: OneTimeToken.hash(of: text), newcomer: newcomer, secret: secret, at: clock.now)
    }

    private func newcomer(
        name: String, password: String, invitedBy invitation: Invitation
    ) async throws -> InvitedNewcomer {
        let name = try UserName(name)
        try policy.check(password, name: name.text, email: invitation.email)
        // Before the work of hashing; the store makes sure.
        guard try await stores.users.find(login: name.text) == nil else { throw AppError.nameTaken }
        return InvitedNewcomer(name: name, passwordHash: try await hasher.hash(password))
    }
}
