import HTTPTypes
import Hummingbird
import Shared

/// What pages with forms have in common: they show a page, and take its forms. A form that was carried out is followed by a
/// GET that says so; one that was not is shown again with the reason.
struct PageForms<Notice: FormNotice>: Sendable {
    let pages: PageRenderer
    let viewers: Viewers
    let audience: PageAudience

    /// A page, saying what the address says was carried out.
    func show(
        _ request: Request, _ context: AppRequestContext, _ page: (PageVisit) async throws -> some Page
    ) async throws -> Response {
        try await visiting(request, context) { visit in
            var visit = visit
            visit.done = request.query("done").flatMap(Notice.init(rawValue:))?.text(visit.words)
            return try pages.response(try await page(visit), in: visit.frame)
        }
    }

    /// Takes a form of ours and carries it out.
    /// - Parameters:
    ///   - notice: what is said then, and where.
    ///   - page: shown again if it was not.
    ///   - change: throws `FormProblem` or `AppError`.
    func take<Fields: Decodable>(
        _ type: Fields.Type, _ request: Request, _ context: AppRequestContext, then notice: Notice,
        orShow page: (PageVisit) async throws -> some Page,
        _ change: (Fields, PageVisit) async throws -> Void
    ) async throws -> Response {
        try await take(type, request, context, orShow: page) { fields, visit in
            try await change(fields, visit)
            return try Self.done(notice, for: visit)
        }
    }

    /// The same with an answer of its own.
    func take<Fields: Decodable>(
        _ type: Fields.Type, _ request: Request, _ context: AppRequestContext,
        orShow page: (PageVisit) async throws -> some Page,
        answer: (Fields, PageVisit) async throws -> Response
    ) async throws -> Response {
        try await visiting(request, context) { visit in
            let form = try await ClassicBody.decode(OwnForm<Fields>.self, from: request)
            try viewers.browsers.require(form.formToken, of: visit.principal)
            return try await mendable(visit, orShow: page) { try await answer(form.fields, visit) }
        }
    }

    /// Runs what a form asks for; a refusal is the page again, saying why.
    func mendable(
        _ visit: PageVisit, orShow page: (PageVisit) async throws -> some Page,
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

    /// Who is there. Refusals that the page does not show itself become a page that says one thing.
    func visiting(
        _ request: Request, _ context: AppRequestContext, _ handle: (PageVisit) async throws -> Response
    ) async throws -> Response {
        try await pages.answering(PageFrame(request)) {
            let viewed = try await viewers.frame(request, context: context, for: audience)
            return try await pages.answering(viewed.frame) {
                try await handle(
                    PageVisit(
                        principal: try context.requirePrincipal(), user: viewed.user, frame: viewed.frame,
                        words: pages.words(viewed.frame), team: viewed.team))
            }
        }
    }

    /// To the page that says what was carried out.
    static func done(_ notice: Notice, for visit: PageVisit) throws -> Response {
        .seeOther("\(try notice.page(for: visit))?done=\(notice.rawValue)")
    }
}
