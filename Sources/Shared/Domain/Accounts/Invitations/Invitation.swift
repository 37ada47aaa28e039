package import Foundation

/// Permission by an administrator or lead to open an account, or to join a team with an existing one.
package struct Invitation: Hashable, Sendable {
    /// Identifies an invitation.
    package typealias ID = Identifier<Invitation>

    /// Days after it was created or last sent in which an invitation can be accepted. Longer than its links are valid,
    /// so that an invitation missed during a holiday can be sent again.
    package static let lifetime = 30

    /// Stays the same when the invitation is sent again.
    package let id: ID
    /// The invited address; one pending invitation per case-folded address and team.
    package let email: String
    /// The role of a new account; an existing account keeps its own.
    package let role: User.Role
    /// The team the account will join, if any.
    package let teamID: Team.ID?
    package let teamRole: Membership.Role
    /// Language of the mail, `en` or `de`.
    package let locale: String
    /// The user who created it or last sent it, and who must still be allowed to when it is accepted; `nil` for the
    /// operator.
    package var inviterID: User.ID?
    /// The UTC day on which it was created or last sent.
    package var sent: CalendarDay

    /// Creates an invitation as a store keeps it.
    package init(
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
    package static func oldestDay(at now: Date) -> CalendarDay {
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
    package func isAllowed(by inviter: User, leadsTeam: Bool) -> Bool {
        guard !inviter.isDisabled else { return false }
        return switch inviter.role {
        case .admin: true
        case .member: leadsTeam && role != .admin
        case .guest: leadsTeam && role == .guest && teamRole == .member
        }
    }

    /// A position in the list order of invitations: by case-folded address, then by id.
    package struct Position: Hashable, Sendable, LosslessStringConvertible {
        /// Case-folded.
        package let email: String
        package let id: Invitation.ID

        /// The position of an invitation.
        package init(_ invitation: Invitation) {
            email = EmailAddress.folded(invitation.email)
            id = invitation.id
        }

        /// Parses the result of `description`; returns `nil` for any other text.
        package init?(_ description: String) {
            let parts = description.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let id = Invitation.ID(String(parts[0])) else { return nil }
            self.id = id
            email = String(parts[1])
        }

        /// An opaque cursor that clients hand back.
        package var description: String { "\(id):\(email)" }
    }
}
