public import Foundation

/// Permission by an administrator or lead to open an account, or to join a team with an existing one.
public struct Invitation: Hashable, Sendable {
    /// Identifies an invitation.
    public typealias ID = Identifier<Invitation>

    /// Days after it was created or last sent in which an invitation can be accepted. Longer than its links are valid,
    /// so that an invitation missed during a holiday can be sent again.
    public static let lifetime = 30

    /// Stays the same when the invitation is sent again.
    public let id: ID
    /// The invited address; one pending invitation per case-folded address and team.
    public let email: String
    /// The role of a new account; an existing account keeps its own.
    public let role: User.Role
    /// The team the account will join, if any.
    public let teamID: Team.ID?
    /// The role in that team.
    public let teamRole: Membership.Role
    /// Language of the mail, `en` or `de`.
    public let locale: String
    /// The user who created it or last sent it, and who must still be allowed to when it is accepted; `nil` for the
    /// operator.
    public var inviterID: User.ID?
    /// The UTC day on which it was created or last sent.
    public var sent: CalendarDay

    /// Creates an invitation as a store keeps it.
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

    /// The earliest day on which an invitation that is still valid can have been sent.
    public static func oldestDay(at now: Date) -> CalendarDay {
        CalendarDay(instant: now, in: .gmt).adding(days: -lifetime)
    }
}

extension Invitation {
    /// Whether `inviter` may create this invitation, or is still allowed to: checked when it is created, sent again,
    /// mailed and accepted.
    ///
    /// Leads cannot invite administrators. A lead who is a guest in this installation can only grant what they have:
    /// guest as the role, member in the team.
    /// - Parameter leadsTeam: whether the inviter leads the invitation's team.
    func isAllowed(by inviter: User, leadsTeam: Bool) -> Bool {
        guard !inviter.isDisabled else { return false }
        return switch inviter.role {
        case .admin: true
        case .member: leadsTeam && role != .admin
        case .guest: leadsTeam && role == .guest && teamRole == .member
        }
    }

    /// A position in the list order of invitations: by case-folded address, then by id.
    public struct Position: Hashable, Sendable, LosslessStringConvertible {
        /// Case-folded.
        let email: String
        let id: Invitation.ID

        /// The position of an invitation.
        public init(_ invitation: Invitation) {
            email = EmailAddress.folded(invitation.email)
            id = invitation.id
        }

        /// Parses the result of `description`; returns `nil` for any other text.
        public init?(_ description: String) {
            let parts = description.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let id = Invitation.ID(String(parts[0])) else { return nil }
            self.id = id
            email = String(parts[1])
        }

        /// An opaque cursor that clients hand back.
        public var description: String { "\(id):\(email)" }
    }
}
