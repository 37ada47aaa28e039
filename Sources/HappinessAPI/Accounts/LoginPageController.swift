import Domain
import Foundation
import HTTPTypes
import Hummingbird
import Services

/// Logs browsers in and out.
struct LoginPageController: Sendable {
    let pages: PageRenderer
    let logins: LoginService
    let browsers: BrowserSessions
    let browserLogins: BrowserLogins
    let keptForms: SavedFormPageController
    let setup: SetupService
    /// Identity providers offered besides the password.
    let providers: [SingleSignOnProvider]
    /// Whether the page links to the registration.
    let takesRegistrations: Bool
    let clientAddress: ClientAddress

    /// `done` in the query after a log-out.
    private static let loggedOut = "log-out"
    /// The same after a form that came without any cookie.
    private static let withoutCookie = "no-cookie"

    /// `GET /login`: the form; redirects a user who is logged in already. After a log-out, its script deletes what the
    /// browser stores for the user, in case the form was sent before the script was there that does so first.
    func form(_ request: Request, context: AppRequestContext) async throws -> Response {
        let destination = SitePath(sent: request.query("next"))
        guard try await browsers.principal(of: request, notesUse: false) == nil else {
            return .seeOther(destination)
        }
        let frame = PageFrame(request)
        let done = request.query("done")
        let page = try await page(
            to: destination, in: frame, problem: done == Self.withoutCookie ? needsCookies(frame) : nil,
            forgetsUser: done == Self.loggedOut)
        return tryingCookie(try pages.response(page, in: frame), request)
    }

    /// Redirects a browser that is not logged in to the form, which leads back afterwards. A form with written text
    /// gets a page that keeps it and links to the login.
    func ask(_ request: Request) async throws -> Response {
        guard request.method == .get || request.method == .head else {
            let hasCookie = request.headers.contains(.cookie)
            return try await keptForms.keep(request)
                ?? .seeOther(hasCookie ? .login : .login.adding("done", Self.withoutCookie))
        }
        return .seeOther(SitePath.login.adding(next: SitePath(sent: request.uri.description)))
    }

    private struct LoginForm: Decodable {
        let username: String
        let password: String
        let next: String?
        /// Sent by our page, which has set a cookie; others may log in without one.
        let cookies: String?
    }

    /// `POST /login`: sets the cookie and redirects to the requested page. A user whose password someone else set is
    /// asked for their own on the way. A login through a provider does not ask: it did not need the password.
    ///
    /// A browser that keeps no cookies would come back to the empty form, without a reason. It gets one instead, and no
    /// session that nobody could use.
    func logIn(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await pages.submitting(LoginForm.self, in: request) { form in
            let destination = SitePath(sent: form.next)
            let frame = PageFrame(request)
            guard form.cookies == nil || request.headers.contains(.cookie) else {
                let page = try await page(
                    to: destination, in: frame, username: form.username, problem: needsCookies(frame))
                return tryingCookie(try pages.response(page, in: frame, status: .unprocessableContent), request)
            }
            do {
                let login = try await logins.logIn(
                    login: form.username.trimmingCharacters(in: .whitespacesAndNewlines), password: form.password,
                    device: request.device, address: clientAddress.of(request, context: context), lifetime: .browser)
                let next =
                    login.user.passwordIsHandedOut
                    ? PasswordSettingsPageController.question(before: destination) : destination
                return await browserLogins.keep(login, on: frame.language, in: .seeOther(next))
            } catch let error as AppError where error.code != .unavailable {
                var page = try await page(
                    to: destination, in: frame, username: form.username, problem: pages.words(frame).problem(error))
                page.isUnconfirmed = error.reason == .addressNotConfirmed
                if form.username.contains("@") { page.address = form.username }
                return try pages.response(page, in: frame, refusing: error)
            }
        }
    }

    /// `POST /logout`: ends the session on the server and in the browser.
    func logOut(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await pages.renderingErrors(PageFrame(request)) {
            let principal = try context.requirePrincipal()
            let form = try await FormBody.decode(OwnForm<NoFields>.self, from: request)
            try browsers.require(form.formToken, of: principal)
            try await logins.logOut(principal)
            var response = Response.seeOther(.login.adding("done", Self.loggedOut))
            response.headers[.setCookie] = browsers.cookie.ending
            response.clearCache(of: pages.publicPath)
            return response
        }
    }

    /// Adds a cookie by which the form finds out whether the browser keeps any. One that sends another does.
    private func tryingCookie(_ response: Response, _ request: Request) -> Response {
        guard !request.headers.contains(.cookie) else { return response }
        var response = response
        response.headers.append(HTTPField(name: .setCookie, value: browsers.cookie.trial))
        return response
    }

    private func needsCookies(_ frame: PageFrame) -> FormProblem {
        FormProblem(pages.words(frame).text("logIn.needsCookies"))
    }

    private func page(
        to destination: SitePath, in frame: PageFrame, username: String = "", problem: FormProblem? = nil,
        forgetsUser: Bool = false
    ) async throws -> LoginPage {
        let ways = providers.map { provider in
            LoginPage.Provider(
                address: provider.browserStart(to: destination, frame.language), name: provider.settings.name)
        }
        return LoginPage(
            username: username, next: destination.path, problem: problem, hasNoAccounts: try await hasNoAccounts(),
            takesRegistrations: takesRegistrations, providers: ways, forgetsUser: forgetsUser)
    }

    /// False while the store is unavailable: the page itself does not need it.
    private func hasNoAccounts() async throws -> Bool {
        do {
            return try await setup.hasNoAccounts()
        } catch  where AppError(error)?.code == .unavailable {
            return false
        }
    }
}

struct LoginPage: Page {
    static let template = "log-in"
    static let formTellsOrigin = true

    /// The name as typed before.
    let username: String
    /// `SitePath.path` of the page to continue with, for the field of the form.
    let next: String
    /// Why the login failed.
    let problem: FormProblem?
    /// Whether there is no account yet: the page then says how to create the first one.
    let hasNoAccounts: Bool
    let takesRegistrations: Bool
    let providers: [Provider]
    /// Whether a script deletes what the browser stores for the user.
    let forgetsUser: Bool
    /// Whether to offer the mail with the link that confirms the address once more.
    var isUnconfirmed = false
    /// The address for that mail, if it was typed as the name.
    var address = ""

    /// A link to log in with an identity provider.
    struct Provider: Sendable {
        let address: SitePath
        let name: String
    }
}
