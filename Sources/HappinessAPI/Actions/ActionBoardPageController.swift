import Domain
import Hummingbird
import Ports
import Services

/// A team's board, on which cards can also be moved without a script.
struct ActionBoardPageController: Sendable {
    let forms: PageForms<ActionNotice>
    let actions: ActionService
    let pictures: PictureLinks
    let clock: WallClock

    /// `GET /teams/{team}/actions`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context, page)
    }

    private struct MoveForm: Decodable {
        let version: Int
        let state: String
    }

    /// `POST /teams/{team}/actions/{action}/move`: moves the card to the default position of another column.
    func move(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.submit(MoveForm.self, request, context, then: .moved, orShow: page) { form, visit in
            var change = ActionChange(version: form.version)
            change.state = try ActionFields.state(form.state)
            _ = try await actions.change(
                try context.actionID(), of: try visit.visitedTeam().team.id, change, by: visit.principal.userID)
        }
    }

    private struct SupportForm: Decodable {
        /// `yes` says "me too"; everything else takes it back.
        let supports: String?
    }

    /// `POST /teams/{team}/actions/{action}/support`: says "me too", or takes it back, and leads back to the card.
    func support(_ request: Request, context: AppRequestContext) async throws -> Response {
        let id = try context.actionID()
        return try await forms.submit(SupportForm.self, request, context, orShow: page) { form, visit in
            let isSupported = form.supports == "yes"
            try await actions.setSupport(
                of: id, in: try visit.visitedTeam().team.id, to: isSupported, by: visit.principal.userID)
            let notice = isSupported ? ActionNotice.supported : .withdrawn
            return .seeOther(
                try notice.page(for: visit).adding("done", notice.addressName).at("action-\(id)"))
        }
    }

    private func page(_ visit: PageVisit) async throws -> ActionBoardPage {
        let team = try visit.visitedTeam().team
        let board = try await actions.board(of: team.id, by: visit.principal.userID)
        let people = try await actions.assignees(of: board.columns.flatMap(\.actions))
        return ActionBoardPage(
            board, people: people.mapValues { ActionUser($0, pictures: pictures) }, team: team,
            texts: ActionTexts(visit, team: team, clock: clock), done: visit.done, problem: visit.problem)
    }
}

extension ActionTexts {
    /// In the visitor's language, with today's date in the team's time zone.
    init(_ visit: PageVisit, team: Team, clock: WallClock) {
        self.init(
            words: visit.words, language: visit.frame.language, zone: team.settings.zone,
            today: CalendarDay(instant: clock.now, in: team.settings.zone))
    }
}
