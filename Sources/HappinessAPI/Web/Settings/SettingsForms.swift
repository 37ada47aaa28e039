import HTTPTypes
import Hummingbird
import Shared

/// Somebody at a page of their settings.
struct SettingsVisit: Sendable {
    let principal: Principal
    let frame: PageFrame
    /// The texts of the frame's language.
    let words: PageWords
    /// What was just carried out.
    var done: String?
    /// Why the form is shown again.
    var problem: String?
}

/// A form that its sender can mend, and why.
struct FormProblem: Error {
    /// In the page's language.
    let text: String
}

/// What the pages of the settings have in common: they show a page, and take its forms. A form that was carried out is
/// followed by a GET that says so; one that was not is shown again with the reason.
struct SettingsForms: Sendable {
    let pages: PageRenderer
    let viewers: Viewers

    /// A page, saying what the address says was carried out.
    func show(
        _ request: Request, _ context: AppRequestContext, _ page: (SettingsVisit) async throws -> some Page
    ) async throws -> Response {
        try await visiting(request, context) { visit in
            var visit = visit
            visit.done = request.query("done").flatMap(SettingsNotice.init(rawValue:))?.text(visit.words)
            return try pages.response(try await page(visit), in: visit.frame)
        }
    }

    /// Takes a form of ours and carries it out.
    /// - Parameters:
    ///   - notice: what is said then, and where.
    ///   - page: shown again if it was not.
    ///   - change: throws `FormProblem` or `AppError`.
    func take<Fields: Decodable>(
        _ type: Fields.Type, _ request: Request, _ context: AppRequestContext, then notice: SettingsNotice,
        orShow page: (SettingsVisit) async throws -> some Page,
        _ change: (Fields, SettingsVisit) async throws -> Void
    ) async throws -> Response {
        try await take(type, request, context, orShow: page) { fields, visit in
            try await change(fields, visit)
            return Self.done(notice)
        }
    }

    /// The same with an answer of its own.
    func take<Fields: Decodable>(
        _ type: Fields.Type, _ request: Request, _ context: AppRequestContext,
        orShow page: (SettingsVisit) async throws -> some Page,
        answer: (Fields, SettingsVisit) async throws -> Response
    ) async throws -> Response {
        try await visiting(request, context) { visit in
            let form = try await ClassicBody.decode(OwnForm<Fields>.self, from: request)
            try viewers.browsers.require(form.formToken, of: visit.principal)
            return try await mendable(visit, orShow: page) { try await answer(form.fields, visit) }
        }
    }

    /// Runs what a form asks for; a refusal is the page again, saying why.
    func mendable(
        _ visit: SettingsVisit, orShow page: (SettingsVisit) async throws -> some Page,
        _ answer: () async throws -> Response
    ) async throws -> Response {
        var visit = visit
        do {
            return try await answer()
        } catch let problem as FormProblem {
            visit.problem = problem.text
            return try pages.response(try await page(visit), in: visit.frame, status: .unprocessableContent)
        } catch let error as AppError where error.code != .unauthenticated {
            visit.problem = visit.words.text(for: error)
            var response = try pages.response(
                try await page(visit), in: visit.frame, status: ErrorStyle.problem.status(of: error))
            response.headers[.retryAfter] = error.retryAfter.map(String.init)
            return response
        }
    }

    /// Who is there. Refusals that no page of the settings shows become a page that says one thing.
    func visiting(
        _ request: Request, _ context: AppRequestContext, _ handle: (SettingsVisit) async throws -> Response
    ) async throws -> Response {
        try await pages.answering(PageFrame(request)) {
            let principal = try context.requirePrincipal()
            let frame = try await viewers.frame(request, context: context)
            return try await pages.answering(frame) {
                try await handle(SettingsVisit(principal: principal, frame: frame, words: pages.words(frame)))
            }
        }
    }

    /// To the page that says what was carried out.
    static func done(_ notice: SettingsNotice) -> Response {
        .seeOther("\(notice.page)?done=\(notice.rawValue)")
    }
}
