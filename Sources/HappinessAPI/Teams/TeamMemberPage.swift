import Domain
import Services

/// Members, invitations and the share link. Of a large team it has only a page of the members; the others are found by
/// the pager and the search, and only the first one has more than members.
struct TeamMemberPage: Page {
    static let template = "manage-members"

    let head: ManageHead
    let members: [Member]
    /// One sentence for each group of members with one mailbox.
    let sharedMailboxes: [String]
    /// Whether these are not all members, so that there is a search.
    let isPaged: Bool
    /// Whether it found nobody.
    let isEmpty: Bool
    /// The search text.
    let search: String
    /// Whether it is the first page of the list.
    let isFirst: Bool
    let pager: Pager
    /// Addresses of the forms for members. They lead back to this page of the list.
    let roleAddress: SitePath
    let removeAddress: SitePath
    let mailAgainAddress: SitePath
    let invitations: [Pending]
    let hasInvitations: Bool
    let emails: String
    let report: [Report]
    /// Whether there is a report; templates can only read stored properties.
    let hasReport: Bool
    let roles: [FormOption]
    /// Languages of the invitation mail; the viewer's own is preselected.
    let languages: [FormOption]
    /// Whether the viewer may invite leads: a guest cannot grant more rights than they have.
    let invitesLeads: Bool
    /// `nil` unless the viewer leads the team: only those who read the results may share them.
    let sharing: Sharing?

    struct Member: Sendable {
        let id: String
        let name: String
        /// The user name, if `name` is another one: everyone chooses their display name, also that of a colleague.
        let userName: String?
        let pictureLink: String
        let isLead: Bool
        /// Whether it is the viewer.
        let isMe: Bool
        /// Whether the viewer can make them a lead.
        let canLead: Bool
        /// Whether mails to their address do not arrive. Neither why nor since when: that would hint at a mail.
        let mailsReturn: Bool
    }

    /// A pending invitation.
    struct Pending: Sendable {
        let id: String
        let email: String
        /// Date and role.
        let text: String
    }

    /// The form's values and the results of the last invitations.
    struct Drafts: Sendable {
        var emails = ""
        var role = Membership.Role.member
        /// `nil` means the viewer's language.
        var language: MailLocale?
        var report: [Report] = []
    }

    /// The result for one address.
    struct Report: Sendable {
        let email: String
        let text: String
        let isInvited: Bool
    }

    /// The link that shows the results without a login.
    struct Sharing: Sendable {
        let isShared: Bool
        /// Shown once, when the link is created.
        let addresses: Addresses?

        struct Addresses: Sendable {
            /// Of the page for a screen.
            let page: String
            /// Of the chart alone.
            let chart: String
        }
    }
}

extension TeamMemberPage {
    /// - Parameters:
    ///   - nextAfter: the position of the last of `members`; `nil` on the last page.
    ///   - sharedMailboxes: groups of members with one mailbox.
    init(
        _ head: ManageHead, team: Team.ID, members: [TeamMember], place: MemberListPosition, nextAfter: MemberPosition?,
        sharedMailboxes: [[User]],
        invitations: [Invitation], drafts: Drafts, sharing: Sharing?, visit: PageVisit, pictures: PictureLinks
    ) {
        let words = visit.words
        self.head = head
        isPaged = place != MemberListPosition() || nextAfter != nil
        isEmpty = isPaged && members.isEmpty
        search = place.search
        isFirst = place.after == nil
        pager = Pager(
            first: place.after == nil ? nil : place.firstPage.address(on: head.address),
            next: nextAfter.map { MemberListPosition(search: place.search, after: $0).address(on: head.address) })
        roleAddress = place.address(on: .memberRole(of: team))
        removeAddress = place.address(on: .memberRemoval(of: team))
        mailAgainAddress = place.address(on: .memberMail(of: team))
        self.members = members.map { member in
            let isMe = member.user.id == visit.user.id
            return Member(
                id: member.user.id.description, name: member.user.shownName, userName: member.user.hiddenName,
                pictureLink: pictures.link(toPictureOf: member.user, .small, .webp).url, isLead: member.role == .lead,
                isMe: isMe, canLead: member.role != .lead && !isMe, mailsReturn: member.user.addressFault != nil)
        }
        self.sharedMailboxes = sharedMailboxes.map { group in
            // The user names, since two people may show the same name.
            words.text("members.sharedMailbox", ["names": group.map(\.name).joined(separator: ", ")])
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
            FormOption($0.rawValue, $1, isChosen: $0 == drafts.role)
        }
        let language = drafts.language ?? visit.frame.language.mailLocale
        languages = visit.words.languages.map {
            FormOption($0.locale.rawValue, $0.name, isChosen: $0.locale == language)
        }
        invitesLeads = visit.user.role != .guest
        self.sharing = sharing
    }
}
