public import Foundation

/// An administrator's or lead's word that somebody may have an account, or join a team with the one they have.
public struct Invitation: Hashable, Sendable {
    /// An invitation's identity.
    public typealias ID = Identifier<Invitation>

    /// Days after it was made or sent last in which it can be accepted. Longer than its links count, so that one that
    /// waited for somebody's holidays can be sent again.
    public static let lifetime = 30

    /// The invitation's identity.
    public let id: ID
    /// Who is invited; one pending invitation for an address, case-folded, and a team.
    public let email: String
    /// The role a new account will have; one that is there keeps its own.
    public let role: User.Role
    /// The team the account will be in, if any.
    public let teamID: Team.ID?
    /// The role in that team.
    public let teamRole: Membership.Role
    /// Language of the mail, `en` or `de`.
    public let locale: String
    /// Who made it or sent it last, and must be allowed to when it is accepted; `nil` for the operator.
    public var inviterID: User.ID?
    /// The day it was made or sent last, in UTC.
    public var sent: CalendarDay

    /// An invitation as a store keeps it.
    public init(
        id: ID = .random(), email: String, role: User.Role, teamID: Team.ID?, teamRole: Membership.Role,
        locale: String, inviterID: User.ID? = nil, sent: CalendarDay
    ) {
        self.id = id
        self.email = email
        self.role = role
        self.teamID = teamID
        self.teamRole = teamRole
        self.locale = locale
        self.inviterID = inviterID
        self.sent = sent
    }

    /// The last day on which an invitation that counts now can have been sent.
    public static func oldestDay(at now: Date) -> CalendarDay {
        CalendarDay(instant: now, in: .gmt).adding(days: -lifetime)
    }
}

extension Invitation {
    /// Whether somebody may make this invitation, or still stands behind it: asked when it is made, sent again, mailed
    /// and accepted.
    ///
    /// Leads make no administrators. One who is a guest here gives nobody more than they have: guests, as members.
    /// - Parameter leadsTeam: whether they lead the team it is into.
    func isAllowed(by inviter: User, leadsTeam: Bool) -> Bool {
        guard !inviter.isDisabled else { return false }
        return switch inviter.role {
        case .admin: true
        case .member: leadsTeam && role != .admin
        case .guest: leadsTeam && role == .guest && teamRole == .member
        }
    }

    /// A place in the order in which invitations are listed: by case-folded address, then by id.
    public struct Position: Hashable, Sendable, LosslessStringConvertible {
        /// Case-folded.
        let email: String
        let id: Invitation.ID

        /// The place of an invitation.
        public init(_ invitation: Invitation) {
            email = EmailAddress.folded(invitation.email)
            id = invitation.id
        }

        /// Reads what `description` gave; anything else is `nil`.
        public init?(_ description: String) {
            let parts = description.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let id = Invitation.ID(String(parts[0])) else { return nil }
            self.id = id
            email = String(parts[1])
        }

        /// For a client to hand back; it need not know what it says.
        public var description: String { "\(id):\(email)" }
    }
}
