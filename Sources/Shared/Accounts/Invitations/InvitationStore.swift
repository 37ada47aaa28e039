public import Foundation

/// Where pending invitations are kept; one that was accepted or withdrawn is gone. Every call may also throw
/// `AppError.storeUnavailable`.
public protocol InvitationStore: Sendable {
    /// - Throws: `AppError.conflict` (`already-invited`) if the address, case-folded, has one into the same team, or
    ///   another one into none.
    func insert(_ invitation: Invitation) async throws

    /// `nil` if there is none.
    func find(id: Invitation.ID) async throws -> Invitation?

    /// All of an address, case-folded; in order of the id.
    func list(email: String) async throws -> [Invitation]

    /// All that a user made, or sent last; in order of the id.
    func list(inviterID: User.ID) async throws -> [Invitation]

    /// In order of their `Position`.
    /// - Parameters:
    ///   - teamID: `nil` means all.
    ///   - inviterID: only those that this user made, or sent last; `nil` means everybody's.
    ///   - after: the place of the last one of the page before.
    func list(
        teamID: Team.ID?, inviterID: User.ID?, after: Invitation.Position?, limit: Int
    ) async throws -> [Invitation]

    /// Notes the day it was sent again, and by whom.
    /// - Throws: `AppError.notFound`.
    func setSent(id: Invitation.ID, _ day: CalendarDay, by inviterID: User.ID?) async throws

    /// - Returns: false if there was none.
    func delete(id: Invitation.ID) async throws -> Bool

    /// Removes those that were sent last before `day`.
    func deleteExpired(before day: CalendarDay) async throws

    /// Uses the token of an invitation's link, all in one transaction: the token and the others of its invitation go, the
    /// invitation goes, the account is made unless the address has one, and it becomes a member of the team, counted in
    /// `memberCount`, with the team as its default if it had none. A member stays one, with the role they have.
    ///
    /// What is allowed is decided by `InvitationFacts.acceptance`, from facts that are read in the same transaction.
    /// Of callers that race with links of one invitation one is let in, and to the others the link counts no more. Of an
    /// acceptance and a withdrawal one wins: an invitation that was withdrawn gives no account, one that was accepted
    /// cannot be withdrawn. Of two who choose one name the other keeps their link. An account that is made for the
    /// address at the same moment is the one that joins.
    /// - Parameter newcomer: what to make an account from; not looked at if the address has one.
    /// - Throws: `AppError.linkExpired`; `conflict` (`name-taken`); whatever `InvitationFacts.acceptance` throws. Then
    ///   nothing was changed, and the token counts as before.
    func accept(
        tokenHash: [UInt8], newcomer: InvitedNewcomer?, secret: BallotSecret, at now: Date
    ) async throws -> AcceptedInvitation
}

extension InvitationStore {
    /// Everybody's, a page at a time.
    public func list(teamID: Team.ID?, after: Invitation.Position?, limit: Int) async throws -> [Invitation] {
        try await list(teamID: teamID, inviterID: nil, after: after, limit: limit)
    }
}

extension AppError {
    /// For stores: the address has a pending invitation into this team, case-folded.
    static let alreadyInvited = AppError(
        .conflict, "This e-mail address has an invitation already.", reason: "already-invited")
    /// It was accepted or withdrawn, or never was.
    static let noSuchInvitation = AppError(.notFound, "There is no such invitation.", reason: "no-such-invitation")
}
