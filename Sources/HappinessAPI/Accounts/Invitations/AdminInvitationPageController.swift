import Domain
import Hummingbird
import Services

/// Lists pending invitations and creates new ones.
struct AdminInvitationPageController: Sendable {
    let forms: AdminForms
    let invitations: InvitationService
    let teams: TeamService

    private static let pageSize = 50
    /// Team names proposed by the field; further names must be typed.
    private static let proposedTeams = 200

    /// `GET /admin/invitations?after=`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context) { visit in
            try await page(visit, after: request.field("after").flatMap(Invitation.Position.init))
        }
    }

    private struct OneForm: Decodable {
        let invitation: String

        /// A malformed id is treated as unknown.
        var id: Invitation.ID { Invitation.ID(invitation) ?? .random() }
    }

    /// `POST /admin/invitations/resend`
    func resend(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.submit(OneForm.self, request, context, then: .resent, orShow: page) { form, visit in
            _ = try await invitations.resend(form.id, by: visit.principal.caller)
        }
    }

    /// `POST /admin/invitations/withdraw`
    func withdraw(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.submit(OneForm.self, request, context, then: .withdrawn, orShow: page) { form, visit in
            try await invitations.withdraw(form.id, by: visit.principal.caller)
        }
    }

    /// `GET /admin/invitations/new?team=&email=`
    func ask(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context) { visit in
            var draft = AdminInvitationDraft()
            draft.email = request.field("email") ?? ""
            if let name = request.field("team"), let team = try await team(named: name, visit) {
                draft.team = team.name
                // The first person in a team becomes its lead.
                if team.memberCount == 0 { draft.teamRole = .lead }
            }
            return try await newPage(visit, draft: draft)
        }
    }

    /// `POST /admin/invitations/new`
    func invite(_ request: Request, context: AppRequestContext) async throws -> Response {
        var draft = AdminInvitationDraft()
        return try await forms.submit(AdminInvitationDraft.self, request, context) {
            try await newPage($0, draft: draft)
        } response: { form, visit in
            draft = form
            var teamID: Team.ID?
            if !form.team.isEmpty {
                teamID = try await team(named: form.team, visit)?.id
                guard teamID != nil else { throw FormProblem(visit.words.text("admin.noSuchTeam"), at: "team") }
            }
            let email = try EmailAddress(typed: form.email, orSay: visit.words.text("register.emailNotValid"))
            let outcome = try await invitations.invite(
                NewInvitation(
                    email: email, role: form.role, teamID: teamID, teamRole: form.teamRole, locale: form.locale),
                by: visit.principal.caller)
            return try AdminForms.done(Self.notice(of: outcome), for: visit)
        }
    }

    private static func notice(of outcome: InvitationOutcome) -> AdminNotice {
        switch outcome {
        case .invited: .invited
        case .alreadyAMember: .alreadyAMember
        case .alreadyAUser: .alreadyAUser
        }
    }

    private func team(named name: String, _ visit: PageVisit) async throws -> Team? {
        do {
            return try await teams.find(name: name, by: visit.principal.caller)
        } catch let error as AppError where error.code == .notFound {
            return nil
        }
    }

    private func page(_ visit: PageVisit) async throws -> AdminInvitationsPage {
        try await page(visit, after: nil)
    }

    private func page(_ visit: PageVisit, after: Invitation.Position?) async throws -> AdminInvitationsPage {
        // Fetches one more to see whether there is another page.
        let found = try await invitations.list(
            teamID: nil, after: after, limit: Self.pageSize + 1, by: visit.principal.caller)
        let named = try await teams.list(ids: Set(found.compactMap(\.teamID)), by: visit.principal.caller)
        return AdminInvitationsPage(
            found, limit: Self.pageSize,
            teamNames: Dictionary(named.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first }),
            isFirst: after == nil, visit: visit)
    }

    private func newPage(_ visit: PageVisit, draft: AdminInvitationDraft) async throws -> AdminNewInvitationPage {
        let known = try await teams.list(limit: Self.proposedTeams, by: visit.principal.caller)
        return AdminNewInvitationPage(draft, teamNames: known.map(\.name), visit: visit)
    }
}

/// Fields of the invitation form.
struct AdminInvitationDraft: Decodable, Sendable {
    /// As typed.
    var email = ""
    var role = User.Role.member
    /// The team's name as typed; blank for none.
    var team = ""
    var teamRole = Membership.Role.member
    /// `nil` means the inviting user's language.
    var locale: MailLocale?
}
