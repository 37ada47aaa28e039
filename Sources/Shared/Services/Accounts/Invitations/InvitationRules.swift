package import Domain
package import Foundation
package import Storage

extension StoreTransaction {
    /// Stores an invitation.
    /// - Throws: `AppError.conflict` (`already-invited`) if the case-folded address already has an invitation into the
    ///   same team, or another one without a team; `AppError.noSuchTeam`.
    package func add(_ invitation: Invitation) throws {
        if let teamID = invitation.teamID, try !lock(teamID) { throw AppError.noSuchTeam }
        guard try self.invitation(email: invitation.email, teamID: invitation.teamID) == nil else {
            throw AppError.alreadyInvited
        }
        try insert(invitation)
    }

    /// Records the day it was sent again, and by whom.
    /// - Throws: `AppError.notFound`.
    package func setSent(_ day: CalendarDay, of id: Invitation.ID, by inviterID: User.ID?) throws {
        guard var invitation = try invitation(id) else { throw AppError.noSuchInvitation }
        invitation.sent = day
        invitation.inviterID = inviterID
        try update(invitation)
    }

    /// Uses the token of an invitation's link: removes all tokens of the invitation and the
    /// invitation itself, creates the account unless the address has one, and adds it to the team, counted in
    /// `memberCount`. The team becomes the account's default if it had none. An existing member keeps their role. An
    /// account whose address took no mails is no longer marked.
    ///
    /// `InvitationFacts.acceptance` decides what is allowed, from facts read in the same transaction. If callers race
    /// with links of one invitation, one succeeds and the others' links are expired. If an acceptance races with a
    /// withdrawal, one wins: a withdrawn invitation gives no account, and an accepted one cannot be withdrawn. If two
    /// people choose the same name, the loser keeps their link. If the address gets an account at the same moment, that
    /// account joins.
    /// - Parameter newcomer: the data for a new account; ignored if the address has one.
    /// - Throws: `AppError.linkExpired`; `conflict` (`name-taken`); what `InvitationFacts.acceptance` throws. Then
    ///   nothing has changed, and the token is still valid.
    package func acceptInvitation(
        tokenHash: [UInt8], newcomer: InvitedNewcomer?, secret: BallotSecret, at now: Date
    ) throws -> AcceptedInvitation {
        guard let token = try token(hash: tokenHash, purpose: .invitation, at: now),
            let id = Invitation.ID(token.subject), let invitation = try invitation(id)
        else { throw AppError.linkExpired }
        let facts = try facts(of: invitation)
        let accepted = try facts.acceptance(with: token, newcomer: newcomer, at: now)
        try facts.rejectOwnMailbox(secret.subaddressing)
        // Another link of the invitation, or its withdrawal, deletes the same rows: one succeeds, the others no longer
        // find them.
        try deleteTokens(purpose: .invitation, subject: token.subject)
        try deleteInvitation(id)
        if accepted.isNewAccount { try add(accepted.user) }
        if let teamID = accepted.teamID {
            try add(Membership(teamID: teamID, userID: accepted.user.id, role: invitation.teamRole), secret: secret)
        }
        var user = try user(accepted.user.id) ?? accepted.user
        if user.addressFault != nil {
            // The link was in a mail to this address.
            user.addressFault = nil
            try update(user)
        }
        return AcceptedInvitation(user: user, isNewAccount: accepted.isNewAccount, teamID: accepted.teamID)
    }

    /// The facts that currently decide about the invitation, also for display: `acceptInvitation` reads them again.
    package func facts(of invitation: Invitation) throws -> InvitationFacts {
        func role(of user: User?) throws -> Membership.Role? {
            guard let user, let teamID = invitation.teamID else { return nil }
            return try membership(of: user.id, in: teamID)?.role
        }
        let inviter = try invitation.inviterID.flatMap { try user($0) }
        let account = try user(email: invitation.email)
        let team = try invitation.teamID.flatMap { try self.team($0) }
        return InvitationFacts(
            invitation: invitation, inviter: inviter, inviterRole: try role(of: inviter), team: team,
            hasPast: try team.map { try hasPast($0.id) } ?? false, account: account,
            isMember: try role(of: account) != nil)
    }
}

extension InvitationFacts {
    /// An inviter who invited an address, and later got the same mailbox, has invited themselves, too.
    /// - Throws: `AppError.ownInvitation`.
    fileprivate func rejectOwnMailbox(_ subaddressing: Subaddressing) throws {
        guard let inviter, let team, !isMember, team.memberCount > 0 || hasPast else { return }
        guard subaddressing.mailbox(of: inviter.email) != subaddressing.mailbox(of: invitation.email) else {
            throw AppError.ownInvitation
        }
    }
}

extension AppError {
    /// The case-folded address already has a pending invitation into this team.
    static let alreadyInvited = AppError(
        .conflict, "This e-mail address already has an invitation.", reason: .alreadyInvited)
    /// It was accepted or withdrawn, or never existed.
    static let noSuchInvitation = AppError(.notFound, "There’s no such invitation.", reason: .noSuchInvitation)
}
