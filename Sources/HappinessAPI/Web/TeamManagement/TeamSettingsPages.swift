import Hummingbird
import Shared

/// What leads decide about their team's sprints.
struct TeamSettingsPages: Sendable {
    let forms: ManageForms
    let teams: TeamService
    let sprints: SprintService

    static func path(of team: Team.ID) -> String { "\(TeamOverviewPages.path(of: team))/settings" }

    private typealias Form = EditForm<TeamSettingsForm>

    /// `GET /teams/{team}/manage/settings`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context) { try await page($0) }
    }

    /// `POST /teams/{team}/manage/settings`
    func change(_ request: Request, context: AppRequestContext) async throws -> Response {
        var sent: Form?
        return try await forms.take(Form.self, request, context, then: .settings) {
            try await page($0, sent: sent)
        } _: { form, visit in
            sent = form
            do {
                _ = try await teams.change(
                    try visit.visitedTeam().team.id, form.edit(visit.words), by: visit.principal.caller)
            } catch let error as AppError where error.reason == "name-taken" {
                throw FormProblem(text: visit.words.text("teamSettings.nameTaken"))
            }
        }
    }

    /// - Parameter sent: a form that was not carried out. It goes by the rules of now then, which the page shows: whoever sends
    ///   it again knows what others have changed.
    private func page(_ visit: PageVisit, sent: Form? = nil) async throws -> TeamSettingsPage {
        var team = try visit.visitedTeam().team
        if sent != nil { team = try await teams.find(team.id, by: visit.principal).team }
        let present = TeamSettingsForm(team)
        let running = try await sprints.runningSprint(of: team.id)
        return TeamSettingsPage(
            ManageHead(visit, team, address: Self.path(of: team.id)), team: team,
            form: sent?.shown(over: present) ?? present, seen: try SeenFields(present).text(),
            changes: sent?.changes(in: team, visit.words, visit.frame.language) ?? [], running: running,
            words: visit.words, language: visit.frame.language)
    }
}
