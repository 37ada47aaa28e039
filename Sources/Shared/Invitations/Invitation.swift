/// An administrator's or lead's word that somebody may have an account.
public struct Invitation: Hashable, Sendable {
    /// An invitation's identity.
    public typealias ID = Identifier<Invitation>

    /// The invitation's identity.
    public let id: ID
    /// Who is invited; one pending invitation for an address, case-folded.
    public let email: String
    /// The role the account will have.
    public let role: User.Role
    /// The team the account will be in, if any.
    public let teamID: Team.ID?
    /// The role in that team.
    public let teamRole: Membership.Role
    /// Language of the mail, `en` or `de`.
    public let locale: String
    /// The day it was made or sent last.
    public var sent: CalendarDay

    /// An invitation as a store keeps it.
    public init(
        id: ID = .random(), email: String, role: User.Role, teamID: Team.ID?, teamRole: Membership.Role,
        locale: String, sent: CalendarDay
    ) {
        self.id = id
        self.email = email
        self.role = role
        self.teamID = teamID
        self.teamRole = teamRole
        self.locale = locale
        self.sent = sent
    }
}

/// Where pending invitations are kept; one that was accepted or withdrawn is gone. Every call may also throw
/// `AppError.storeUnavailable`.
public protocol InvitationStore: Sendable {
    /// - Throws: `AppError.conflict` (`already-invited`) if the address has one, case-folded.
    func insert(_ invitation: Invitation) async throws

    /// `nil` if there is none.
    func find(id: Invitation.ID) async throws -> Invitation?

    /// By address, case-folded; `nil` if it has none.
    func find(email: String) async throws -> Invitation?

    /// In order of the case-folded address. `after` is the folded address of the last one of the page before; `teamID`
    /// nil means all.
    func list(teamID: Team.ID?, after: String?, limit: Int) async throws -> [Invitation]

    /// Notes the day it was sent again.
    /// - Throws: `AppError.notFound`.
    func setSent(id: Invitation.ID, _ day: CalendarDay) async throws

    /// - Returns: false if there was none.
    func delete(id: Invitation.ID) async throws -> Bool
}

extension AppError {
    /// For stores: the address has a pending invitation, case-folded.
    static let alreadyInvited = AppError(
        .conflict, "This e-mail address has an invitation already.", reason: "already-invited")
    /// It was accepted or withdrawn, or never was.
    static let noSuchInvitation = AppError(.notFound, "There is no such invitation.", reason: "no-such-invitation")
}
