import Domain
import Hummingbird
import Services

/// Deletes a team, after its name was typed.
struct AdminTeamDeletionPageController: Sendable {
    let forms: AdminForms
    let teams: TeamService

    /// `GET /admin/teams/{team}/delete`: asks for confirmation. Changes nothing.
    func ask(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context) { try await page($0, context) }
    }

    private struct Form: Decodable {
        let name: String
    }

    /// `POST /admin/teams/{team}/delete`
    func delete(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.submit(Form.self, request, context, then: .teamDeleted) {
            try await page($0, context)
        } _: { form, visit in
            try await teams.delete(try context.teamID(), named: form.name, by: visit.principal.caller)
        }
    }

    private func page(_ visit: PageVisit, _ context: AppRequestContext) async throws -> AdminTeamDeletionPage {
        let team = try await teams.find(try context.teamID(), by: visit.principal).team
        return AdminTeamDeletionPage(
            navigation: AdministrationNavigation(at: .teams, words: visit.words),
            address: .teamDeletion(of: team.id), name: team.name,
            question: visit.words.text(
                "adminTeams.deleteText", count: team.memberCount, ["members": visit.words.number(team.memberCount)]),
            problem: visit.problem)
    }
}

/// Asks for the name of the team that is to be deleted.
struct AdminTeamDeletionPage: Page {
    static let template = "admin-team-delete"

    let navigation: AdministrationNavigation
    /// Path of the form.
    let address: SitePath
    let name: String
    /// What is deleted.
    let question: String
    let problem: FormProblem?
}
