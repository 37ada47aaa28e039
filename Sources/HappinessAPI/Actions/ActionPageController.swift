import Domain
import Hummingbird
import Ports
import Services

/// Creates, shows, changes and deletes an action.
struct ActionPageController: Sendable {
    let forms: PageForms<ActionNotice>
    let actions: ActionService
    let pictures: PictureLinks
    let clock: WallClock

    /// `GET /teams/{team}/actions/new`
    func ask(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context) { try await newPage($0, ActionFormFields()) }
    }

    /// `POST /teams/{team}/actions/new`: the same form, filled with the text of a feedback. The text comes from the
    /// previous page and not from the store, so that no action ever refers to a feedback. Nothing is stored.
    func askFromFeedback(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.submit(ActionFormFields.self, request, context) {
            try await newPage($0, ActionFormFields())
        } response: { fields, visit in
            try forms.pages.response(try await newPage(visit, fields), in: visit.frame)
        }
    }

    /// `POST /teams/{team}/actions`
    func add(_ request: Request, context: AppRequestContext) async throws -> Response {
        var typed = ActionFormFields()
        return try await forms.submit(ActionFormFields.self, request, context, then: .added) {
            try await newPage($0, typed)
        } _: { fields, visit in
            typed = fields
            _ = try await actions.add(
                try fields.content(), quoting: try fields.sprint(), to: try visit.visitedTeam().team.id,
                by: visit.principal.userID)
        }
    }

    /// `GET /teams/{team}/actions/{action}`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        let id = try context.actionID()
        return try await forms.show(request, context) { try await page($0, id) }
    }

    /// `POST /teams/{team}/actions/{action}`
    func change(_ request: Request, context: AppRequestContext) async throws -> Response {
        let id = try context.actionID()
        var typed: ActionFormFields?
        return try await forms.submit(ActionFormFields.self, request, context, then: .changed) {
            try await page($0, id, typed: typed)
        } _: { fields, visit in
            typed = fields
            let content = try fields.content()
            var change = ActionChange(version: fields.version ?? 0)
            change.title = content.title
            change.notes = content.notes
            change.quote = .some(content.quote)
            change.assignee = .some(content.assignee)
            change.due = .some(content.due)
            _ = try await actions.change(id, of: try visit.visitedTeam().team.id, change, by: visit.principal.userID)
        }
    }

    private struct DeletionForm: Decodable {
        let version: Int
    }

    /// `POST /teams/{team}/actions/{action}/delete`
    func delete(_ request: Request, context: AppRequestContext) async throws -> Response {
        let id = try context.actionID()
        return try await forms.submit(DeletionForm.self, request, context, then: .deleted) {
            try await page($0, id)
        } _: { form, visit in
            try await actions.delete(
                id, of: try visit.visitedTeam().team.id, version: form.version, by: visit.principal.userID)
        }
    }

    private func newPage(_ visit: PageVisit, _ fields: ActionFormFields) async throws -> NewActionPage {
        let teamID = try visit.visitedTeam().team.id
        let reader = try await actions.reader(visit.principal.userID, in: teamID)
        guard reader.mayAdd else { throw AppError.leadsOnly }
        return NewActionPage(
            board: .actions(of: teamID), manages: reader.manages,
            form: ActionForm(
                fields, quoteReaders: try await actions.readersOfQuote(from: try fields.sprint(), in: teamID),
                candidates: try await actions.candidates(for: reader)),
            problem: visit.problem)
    }

    /// - Parameter typed: shown in the form instead of the stored values. The form then has the current version, so
    ///   sending it again overwrites the other lead's change knowingly.
    private func page(_ visit: PageVisit, _ id: Action.ID, typed: ActionFormFields? = nil) async throws -> ActionPage {
        let team = try visit.visitedTeam().team
        let (action, reader) = try await actions.find(id, of: team.id, by: visit.principal.userID)
        let texts = ActionTexts(visit, team: team, clock: clock)
        let people = try await actions.assignees(of: [action])
        let supporters = try await actions.supporters(of: [action], for: visit.principal.userID)
        var form: ActionForm?
        if reader.manages {
            form = ActionForm(
                typed ?? ActionFormFields(action),
                quoteReaders: reader.feedbackReaders == .leads ? .leads : action.content.quoteReaders,
                candidates: try await actions.candidates(for: reader))
        }
        let mayMove = reader.mayMove(action)
        return ActionPage(
            board: .actions(of: team.id), address: .action(id, of: team.id),
            title: action.content.title, state: texts.title(of: action.state),
            notes: action.content.notes.isEmpty ? nil : action.content.notes, quote: action.content.quote,
            person: action.content.assignee.flatMap { people[$0] }.map { ActionUser($0, pictures: pictures) },
            due: texts.due(action), isOverdue: texts.isOverdue(action), sprint: texts.sprint(action),
            version: action.version, moves: mayMove ? texts.moves(of: action) : [], mayMove: mayMove,
            support: texts.support(of: action, supporters), form: form,
            isStale: typed.map { $0.version != action.version } ?? false, done: visit.done, problem: visit.problem)
    }
}
