import Domain
import Hummingbird
import Services

/// A team's settings for its sprints, for leads.
struct TeamSettingsPageController: Sendable {
    let forms: ManageForms
    let teams: TeamService
    let sprints: SprintService

    private typealias Form = EditForm<TeamSettingsForm>

    /// `GET /teams/{team}/manage/settings`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context) { try await page($0) }
    }

    /// `POST /teams/{team}/manage/settings`
    func change(_ request: Request, context: AppRequestContext) async throws -> Response {
        var sent: Form?
        var confirms: String?
        return try await forms.submit(Form.self, request, context, then: .settings) {
            try await page($0, sent: sent, confirms: confirms)
        } _: { form, visit in
            sent = form
            let team = try visit.visitedTeam().team
            let edit = try form.edit(visit.words)
            let threshold = edit.wanted.settings.threshold
            // A threshold above the number of members is always rejected.
            if form.needsConfirmation, threshold <= team.memberCount {
                confirms = form.typed.threshold
                throw FormProblem(
                    visit.words.text(
                        "teamSettings.confirmRaise",
                        ["k": String(threshold), "before": String(edit.seen.settings.threshold)]))
            }
            do {
                _ = try await teams.change(team.id, edit, by: visit.principal.caller)
            } catch let error as AppError where error.reason == .nameTaken {
                throw FormProblem(visit.words.text("teamSettings.nameTaken"), at: "name")
            }
        }
    }

    /// - Parameters:
    ///   - sent: a form that was rejected. It is now based on the current settings, which the page shows, so sending it
    ///     again overwrites the others' changes knowingly.
    ///   - confirms: the higher threshold that sending the form again confirms.
    private func page(_ visit: PageVisit, sent: Form? = nil, confirms: String? = nil) async throws -> TeamSettingsPage {
        var team = try visit.visitedTeam().team
        if sent != nil { team = try await teams.find(team.id, by: visit.principal).team }
        let present = TeamSettingsForm(team)
        let running = try await sprints.runningSprint(of: team.id)
        return TeamSettingsPage(
            ManageHead(visit, team, address: .teamSettings(of: team.id)), team: team,
            form: sent?.shown(over: present) ?? present, seen: try ShownFields(present).text(), confirms: confirms,
            changes: sent?.changes(in: team, visit.words, visit.frame.language) ?? [], running: running,
            words: visit.words, language: visit.frame.language)
    }
}
