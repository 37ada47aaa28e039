import Domain
import HTTPTypes
import Hummingbird
import Services

/// Shows pages and handles their forms. After a success it redirects to a GET with a message; otherwise it shows the
/// page again with the reason.
struct PageForms<Notice: FormNotice>: Sendable {
    let pages: PageRenderer
    let viewers: ViewerFinder
    let audience: PageAudience

    /// Shows a page, with the success message named in the address.
    func show(
        _ request: Request, _ context: AppRequestContext, _ page: (PageVisit) async throws -> some Page
    ) async throws -> Response {
        try await withVisitor(request, context) { visit in
            var visit = visit
            visit.done = request.query("done").flatMap(Notice.init(addressName:)).map { visit.words.text($0.rawValue) }
            return try pages.response(try await page(visit), in: visit.frame)
        }
    }

    /// Handles one of our forms.
    /// - Parameters:
    ///   - notice: the success message and its page.
    ///   - page: shown again on failure.
    ///   - change: throws `FormProblem` or `AppError`.
    func submit<Fields: Decodable>(
        _ type: Fields.Type, _ request: Request, _ context: AppRequestContext, then notice: Notice,
        orShow page: (PageVisit) async throws -> some Page, _ change: (Fields, PageVisit) async throws -> Void
    ) async throws -> Response {
        try await submit(type, request, context, orShow: page) { fields, visit in
            try await change(fields, visit)
            return try Self.done(notice, for: visit)
        }
    }

    /// The same with a custom response.
    func submit<Fields: Decodable>(
        _ type: Fields.Type, _ request: Request, _ context: AppRequestContext,
        orShow page: (PageVisit) async throws -> some Page, response: (Fields, PageVisit) async throws -> Response
    ) async throws -> Response {
        try await withVisitor(request, context) { visit in
            let form = try await FormBody.decode(OwnForm<Fields>.self, from: request)
            try viewers.browsers.require(form.formToken, of: visit.principal)
            return try await keepingForm(visit, orShow: page) { try await response(form.fields, visit) }
        }
    }

    /// Runs the action of a form; if it is rejected, shows the page again with the reason.
    func keepingForm(
        _ visit: PageVisit, orShow page: (PageVisit) async throws -> some Page, _ response: () async throws -> Response
    ) async throws -> Response {
        var visit = visit
        do {
            return try await response()
        } catch let problem as FormProblem {
            visit.problem = problem
            return try pages.response(try await page(visit), in: visit.frame, status: .unprocessableContent)
        } catch {
            guard let error = AppError(error), error.code != .unauthenticated else { throw error }
            visit.problem = visit.words.problem(error)
            return try pages.response(try await page(visit), in: visit.frame, refusing: error)
        }
    }

    /// Identifies the visitor. Errors that the page does not show itself become a message page.
    func withVisitor(
        _ request: Request, _ context: AppRequestContext, _ handle: (PageVisit) async throws -> Response
    ) async throws -> Response {
        try await viewers.renderingErrors(request, context, with: pages) {
            let viewed = try await viewers.frame(request, context: context, for: audience)
            return try await handle(
                PageVisit(
                    principal: try context.requirePrincipal(), user: viewed.user, frame: viewed.frame,
                    words: pages.words(viewed.frame), team: viewed.team))
        }
    }

    /// Redirects to the page with the success message.
    static func done(_ notice: Notice, for visit: PageVisit) throws -> Response {
        .seeOther(try notice.page(for: visit).adding("done", notice.addressName))
    }
}

extension Response {
    /// Redirects to another of our pages with a GET, as after a form (RFC 9110 §15.4.4).
    static func seeOther(_ address: SitePath) -> Response {
        Response(status: .seeOther, headers: [.location: address.description, .cacheControl: "no-store"])
    }
}
