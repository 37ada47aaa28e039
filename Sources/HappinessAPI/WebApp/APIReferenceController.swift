import Domain
import Hummingbird
import Services

/// The API reference: a page with all routes and one for each topic, whose templates `scripts/api-reference.py` makes
/// from `openapi.yaml`. Scripts on them send requests, with a token that stays in the page, or as the user who is logged
/// in to this browser.
struct APIReferenceController: Sendable {
    let pages: PageRenderer
    let browsers: BrowserSessions
    let accounts: AccountService

    /// `GET /api/reference`: all operations.
    func index(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await show(request, template: APIReferencePage.template)
    }

    /// `GET /api/reference/{topic}`
    func topic(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await show(request, template: "reference/\(context.parameters.get("topic") ?? "")")
    }

    private func show(_ request: Request, template: String) async throws -> Response {
        let principal = try await browsers.principal(of: request, notesUse: false)
        var user: User?
        if let principal { user = try await accounts.find(principal) }
        let frame = PageFrame(request, userLocale: user?.locale)
        return try await pages.renderingErrors(frame) {
            guard pages.hasTemplate(template) else {
                throw AppError(.notFound, "There’s nothing at this address.", reason: .noSuchRoute)
            }
            var page = APIReferencePage()
            if let principal, let user {
                page.formToken = browsers.formTokens.token(of: principal)
                page.userName = user.name
                page.teamID = user.defaultTeamID.map { "\($0)" }
            }
            return try pages.response(page, in: frame, template: template)
        }
    }
}

/// A page of the API reference: all operations, or with the template of a topic its operations in detail. All values
/// are `nil` without a login.
struct APIReferencePage: Page {
    static let template = "api-reference"

    /// For changing requests of the user who is logged in to this browser.
    var formToken: String?
    var userName: String?
    /// The user's default team, for the parameter `team`.
    var teamID: String?
}
