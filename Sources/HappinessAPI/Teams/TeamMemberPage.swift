import Shared

/// Members, invitations and what the team shares.
struct TeamMemberPage: Page {
    static let template = "manage-members"

    let head: ManageHead
    let members: [Member]
    let invitations: [Pending]
    let hasInvitations: Bool
    let emails: String
    let report: [Report]
    /// A template sees what is stored alone.
    let hasReport: Bool
    let roles: [ManageChoice]
    /// What the mails' languages are called; the viewer's own is chosen until they choose another one.
    let languages: [ManageChoice]
    /// Whether the viewer may invite leads: a guest gives nobody more than they have.
    let invitesLeads: Bool
    /// `nil` for who does not lead the team: results are shared by those who read them.
    let sharing: Sharing?

    /// Somebody in the team.
    struct Member: Sendable {
        let id: String
        let name: String
        let pictureLink: String
        let isLead: Bool
        /// The viewer.
        let isMe: Bool
        /// Whether they can be made a lead by the viewer.
        let canLead: Bool
    }

    /// Somebody who was invited.
    struct Pending: Sendable {
        let id: String
        let email: String
        /// When, and as what.
        let text: String
    }

    /// What was typed and chosen, and what became of it.
    struct Drafts: Sendable {
        var emails = ""
        var role = Membership.Role.member
        /// `nil` means the viewer's.
        var language: MailLocale?
        var report: [Report] = []
    }

    /// What became of one address.
    struct Report: Sendable {
        let email: String
        let text: String
        let isInvited: Bool
    }

    /// The link for people outside.
    struct Sharing: Sendable {
        let isShared: Bool
        /// Shown once, when it is made.
        let address: String?
    }

    init(
        _ head: ManageHead, members: [TeamMember], invitations: [Invitation], drafts: Drafts, sharing: Sharing?,
        visit: PageVisit, pictures: PictureLinks
    ) {
        let words = visit.words
        self.head = head
        self.members = members.map { member in
            let isMe = member.user.id == visit.user.id
            return Member(
                id: member.user.id.description, name: member.user.name,
                pictureLink: pictures.link(toPictureOf: member.user, .small, .webp).url, isLead: member.role == .lead,
                isMe: isMe,
                canLead: member.role != .lead && !isMe)
        }
        self.invitations = invitations.map { invitation in
            let values = ["day": invitation.sent.text(in: visit.frame.language)]
            return Pending(
                id: invitation.id.description, email: invitation.email,
                text: invitation.teamRole == .lead
                    ? words.text("invite.sentToLead", values) : words.text("invite.sent", values))
        }
        hasInvitations = !invitations.isEmpty
        emails = drafts.emails
        report = drafts.report
        hasReport = !drafts.report.isEmpty
        roles = [(Membership.Role.member, words.text("members.member")), (.lead, words.text("members.lead"))].map {
            ManageChoice($0.rawValue, $1, isChosen: $0 == drafts.role)
        }
        let language = drafts.language ?? visit.frame.language.mailLocale
        languages = MailLocale.allCases.map { ManageChoice($0.rawValue, $0.name, isChosen: $0 == language) }
        invitesLeads = visit.user.role != .guest
        self.sharing = sharing
    }

    /// From its parts.
    init(
        head: ManageHead, members: [Member], invitations: [Pending], emails: String, report: [Report],
        roles: [ManageChoice], languages: [ManageChoice], invitesLeads: Bool, sharing: Sharing?
    ) {
        self.head = head
        self.members = members
        self.invitations = invitations
        hasInvitations = !invitations.isEmpty
        self.emails = emails
        self.report = report
        hasReport = !report.isEmpty
        self.roles = roles
        self.languages = languages
        self.invitesLeads = invitesLeads
        self.sharing = sharing
    }
}
