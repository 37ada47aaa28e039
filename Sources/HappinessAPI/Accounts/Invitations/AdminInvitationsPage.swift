import Domain

/// A page of pending invitations.
struct AdminInvitationsPage: Page {
    static let template = "admin-invitations"

    let navigation: AdministrationNavigation
    let newAddress = SitePath.newInvitation
    let importAddress = SitePath.invitationImport
    let rows: [Row]
    let isEmpty: Bool
    let pager: Pager
    let done: String?
    let problem: FormProblem?

    struct Row: Sendable {
        let id: String
        let email: String
        let role: String
        /// The team's name; `nil` for an invitation without a team.
        let team: String?
        let teamRole: String
        let sent: String
    }

    /// - Parameter found: holds `limit` + 1 invitations if there are more pages.
    init(_ found: [Invitation], limit: Int, teamNames: [Team.ID: String], isFirst: Bool, visit: PageVisit) {
        let path = SitePath.adminInvitations
        let page = found.prefix(limit)
        navigation = AdministrationNavigation(at: .invitations, words: visit.words)
        rows = page.map { invitation in
            Row(
                id: invitation.id.description, email: invitation.email, role: invitation.role.label(visit.words),
                team: invitation.teamID.flatMap { teamNames[$0] }, teamRole: invitation.teamRole.label(visit.words),
                sent: invitation.sent.text(in: visit.frame.language))
        }
        isEmpty = rows.isEmpty
        pager = Pager(
            first: isFirst ? nil : path,
            next: found.count > limit
                ? page.last.map { path.adding("after", Invitation.Position($0).description) } : nil)
        done = visit.done
        problem = visit.problem
    }
}

/// The form for an invitation.
struct AdminNewInvitationPage: Page {
    static let template = "admin-invitation-new"

    let navigation: AdministrationNavigation
    let address = SitePath.newInvitation
    let email: String
    let roles: [FormOption]
    let team: String
    /// Names proposed by the field.
    let teams: [String]
    let teamRoles: [FormOption]
    let languages: [FormOption]
    let problem: FormProblem?

    init(_ draft: AdminInvitationDraft, teamNames: [String], visit: PageVisit) {
        let chosen = draft.locale ?? MailLocale(tag: visit.frame.language.rawValue)
        navigation = AdministrationNavigation(at: .invitations, words: visit.words)
        email = draft.email
        // The role of an admin is given later, with the password of who gives it.
        roles = FormOption.roles(visit.words, chosen: draft.role).filter { $0.value != User.Role.admin.rawValue }
        team = draft.team
        teams = teamNames
        teamRoles = FormOption.teamRoles(visit.words, chosen: draft.teamRole)
        languages = visit.words.languages.map {
            FormOption($0.locale.rawValue, $0.name, isChosen: $0.locale == chosen)
        }
        problem = visit.problem
    }
}
