import Domain
import Foundation
import Hummingbird
import Services

/// Creates the first administrator and their team. The token in the link is a secret, so no other site can send the
/// form.
struct SetupPageController: Sendable {
    let pages: PageRenderer
    let setup: SetupService
    let browserLogins: BrowserLogins

    /// `GET /setup?token=`: the form; changes nothing.
    func form(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await renderingErrors(request) { frame in
            let token = request.query("token") ?? ""
            try await setup.check(token: token)
            return try pages.response(
                SetupPage(
                    token: token, needsClasses: setup.policy == .classes, timeZone: TimeZone.current.identifier,
                    words: pages.words(frame)),
                in: frame)
        }
    }

    private struct Form: Decodable {
        let token: String
        let username: String
        let email: String
        let password: String
        let `repeat`: String
        let team: String
        let timeZone: String
        /// A `PublicationPolicy`; `nil` from a page that an earlier version has rendered.
        let policy: String?
    }

    /// `POST /setup`: creates the account, logs the browser in and redirects to the administration; or shows the form
    /// with the reason.
    func create(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await renderingErrors(request) { frame in
            let form = try await FormBody.decode(Form.self, from: request)
            try await setup.check(token: form.token)
            let words = pages.words(frame)
            let publication = form.policy.flatMap(PublicationPolicy.init(rawValue:)) ?? .live
            var page = SetupPage(
                token: form.token, needsClasses: setup.policy == .classes, timeZone: form.timeZone,
                publication: publication, words: words)
            page.team = form.team
            page.name = form.username
            page.email = form.email
            guard form.password == form.repeat else {
                page.problem = words.differentPasswords
                return try pages.response(page, in: frame, status: .unprocessableContent)
            }
            let administrator: User
            do {
                administrator = try await setup.addAdministrator(
                    token: form.token,
                    SetupService.Request(
                        name: form.username, email: form.email, password: form.password, team: form.team,
                        timeZone: form.timeZone, publication: publication,
                        language: .chosen(frame.language.mailLocale)))
            } catch let error as AppError where error.leavesFormOpen || error == .emailTaken {
                // Teams and users have the same reason.
                page.problem =
                    error.reason == .nameTaken && error != .nameTaken
                    ? FormProblem(words.text("setup.teamTaken"), at: "team") : words.problem(inForm: error)
                return try pages.response(page, in: frame, status: ErrorStyle.problem.status(of: error))
            }
            guard let login = await browserLogins.begin(for: administrator, request) else {
                return .seeOther(.login)
            }
            let start = Response.seeOther(.admin)
            return await browserLogins.keep(login, on: frame.language, in: start)
        }
    }

    /// Responds to an invalid link with what to do about it.
    private func renderingErrors(_ request: Request, _ handle: (PageFrame) async throws -> Response) async throws
        -> Response
    {
        let frame = PageFrame(request)
        return try await pages.renderingErrors(frame) {
            do {
                return try await handle(frame)
            } catch let error as AppError where error == .linkExpired {
                let words = pages.words(frame)
                return try pages.response(
                    MessagePage(
                        title: words.text("expired.title"), text: words.text("setup.expired"), next: .logIn(words)),
                    in: frame, status: .unprocessableContent)
            }
        }
    }
}

/// The form for the first administrator.
struct SetupPage: Page {
    static let template = "setup"

    /// Sent back with the form.
    let token: String
    /// Whether the password needs several kinds of characters.
    let needsClasses: Bool
    /// As typed before; at first this machine's. A script replaces it with the browser's.
    let timeZone: String
    let timeZones = TeamSettingsPage.zones
    /// When the team sees its results.
    let policies: [FormOption]
    /// Says from which size on there are groups, and warns of the policy that protects no one.
    let policyHint: String
    /// As typed before.
    var team = ""
    /// As typed before.
    var name = ""
    /// As typed before.
    var email = ""
    /// Why the form is shown again.
    var problem: FormProblem?

    init(
        token: String, needsClasses: Bool, timeZone: String, publication: PublicationPolicy = .live,
        words: LocalizedTexts
    ) {
        self.token = token
        self.needsClasses = needsClasses
        self.timeZone = timeZone
        policies = PublicationPolicy.allCases.map { policy in
            FormOption(
                policy.rawValue, words.text("teamSettings.\(policy.rawValue)"), isChosen: policy == publication)
        }
        let threshold = TeamSettings().threshold
        policyHint = words.text(
            "setup.policyHint", ["k": String(threshold), "first": String(2 * threshold)])
    }
}
