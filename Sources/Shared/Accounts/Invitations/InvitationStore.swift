public import Foundation

/// Stores pending invitations; accepted and withdrawn ones are removed. Every call may also throw
/// `AppError.storeUnavailable`.
public protocol InvitationStore: Sendable {
    /// - Throws: `AppError.conflict` (`already-invited`) if the case-folded address already has an invitation into the
    ///   same team, or another one without a team.
    func insert(_ invitation: Invitation) async throws

    /// `nil` if there is none.
    func find(id: Invitation.ID) async throws -> Invitation?

    /// All invitations of an address, case-folded; ordered by id.
    func list(email: String) async throws -> [Invitation]

    /// All invitations that a user created or last sent; ordered by id.
    func list(inviterID: User.ID) async throws -> [Invitation]

    /// Ordered by `Position`.
    /// - Parameters:
    ///   - teamID: `nil` means all.
    ///   - inviterID: only those that this user created or last sent; `nil` means all.
    ///   - after: the position of the previous page's last invitation.
    func list(
        teamID: Team.ID?, inviterID: User.ID?, after: Invitation.Position?, limit: Int
    ) async throws -> [Invitation]

    /// Records the day it was sent again, and by whom.
    /// - Throws: `AppError.notFound`.
    func setSent(id: Invitation.ID, _ day: CalendarDay, by inviterID: User.ID?) async throws

    /// - Returns: false if there was none.
    func delete(id: Invitation.ID) async throws -> Bool

    /// Removes invitations last sent before `day`.
    func deleteExpired(before day: CalendarDay) async throws

    /// Uses the token of an invitation's link, in one transaction: removes all tokens of the invitation and the
    /// invitation itself, creates the account unless the address has one, and adds it to the team, counted in
    /// `memberCount`. The team becomes the account's default if it had none. An existing member keeps their role.
    ///
    /// `InvitationFacts.acceptance` decides what is allowed, from facts read in the same transaction. If callers race
    /// with links of one invitation, one succeeds and the others' links are expired. If an acceptance races with a
    /// withdrawal, one wins: a withdrawn invitation gives no account, and an accepted one cannot be withdrawn. If two
    /// people choose the same name, the loser keeps their link. If the address gets an account at the same moment, that
    /// account joins.
    /// - Parameter newcomer: the data for a new account; ignored if the address has one.
    /// - Throws: `AppError.linkExpired`; `conflict` (`name-taken`); what `InvitationFacts.acceptance` throws. Then
    ///   nothing has changed, and the token is still valid.
    func accept(
        tokenHash: [UInt8], newcomer: InvitedNewcomer?, secret: BallotSecret, at now: Date
    ) async throws -> AcceptedInvitation
}

extension InvitationStore {
    /// Invitations by all users, one page at a time.
    public func list(teamID: Team.ID?, after: Invitation.Position?, limit: Int) async throws -> [Invitation] {
        try await list(teamID: teamID, inviterID: nil, after: after, limit: limit)
    }
}

extension AppError {
    /// For stores: the case-folded address already has a pending invitation into this team.
    static let alreadyInvited = AppError(
        .conflict, "This e-mail address has an invitation already.", reason: "already-invited")
    /// It was accepted or withdrawn, or never existed.
    static let noSuchInvitation = AppError(.notFound, "There is no such invitation.", reason: "no-such-invitation")
}
