import Foundation
import HTTPTypes
import Hummingbird
import Shared

/// Logging in and out with a browser.
struct LogInPages: Sendable {
    let pages: PageRenderer
    let logIns: LogInService
    let browsers: BrowserSessions
    let browserLogIns: BrowserLogIns
    let keptForms: KeptFormPages
    let setup: SetupService
    /// Ways in beside the password.
    let providers: [SignOnProvider]
    /// Whether the page leads to a registration.
    let takesRegistrations: Bool
    let clientAddress: ClientAddress

    /// Where browsers log in.
    static let path = "/login"

    /// `GET /login`: the form; whoever is logged in already goes on.
    func form(_ request: Request, context: AppRequestContext) async throws -> Response {
        let destination = LocalPath(request.query("next"))
        guard try await browsers.principal(of: request, notesUse: false) == nil else {
            return .seeOther(destination.text)
        }
        return try pages.response(try await page(to: destination, in: PageFrame(request)), in: PageFrame(request))
    }

    /// The way of a browser that is not logged in: to the form, and from there back. A form that somebody wrote into waits
    /// in a page that leads there.
    func ask(_ request: Request) async throws -> Response {
        guard request.method == .get || request.method == .head else {
            return try await keptForms.keep(request) ?? .seeOther(Self.path)
        }
        return .seeOther(Self.address(to: LocalPath(request.uri.description)))
    }

    /// The log-in's address, from where a browser goes on to a page of ours.
    static func address(to destination: LocalPath) -> String {
        var address = URLComponents()
        address.path = path
        address.queryItems = [URLQueryItem(name: "next", value: destination.text)]
        return address.string ?? path
    }

    private struct LogInForm: Decodable {
        let username: String
        let password: String
        let next: String?
    }

    /// `POST /login`: sets the cookie and goes where the browser wanted to.
    func logIn(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await pages.answeringForm(LogInForm.self, in: request) { form in
            let destination = LocalPath(form.next)
            let frame = PageFrame(request)
            do {
                let logIn = try await logIns.logIn(
                    login: form.username.trimmingCharacters(in: .whitespacesAndNewlines), password: form.password,
                    device: request.device, address: clientAddress.of(request, context: context), lifetime: .browser)
                return await browserLogIns.keep(logIn, on: frame.language, in: .seeOther(destination.text))
            } catch let error as AppError where error.code != .unavailable {
                let page = try await page(
                    to: destination, in: frame, username: form.username, problem: pages.words(frame).text(for: error))
                var response = try pages.response(page, in: frame, status: ErrorStyle.problem.status(of: error))
                response.headers[.retryAfter] = error.retryAfter.map(String.init)
                return response
            }
        }
    }

    private struct NoFields: Decodable {}

    /// `POST /logout`: ends the session, here and on the server.
    func logOut(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await pages.answering(PageFrame(request)) {
            let principal = try context.requirePrincipal()
            let form = try await ClassicBody.decode(OwnForm<NoFields>.self, from: request)
            try browsers.require(form.formToken, of: principal)
            try await logIns.logOut(principal)
            var response = Response.seeOther(Self.path)
            response.headers[.setCookie] = browsers.cookie.ending
            // Whatever the browser keeps of somebody who may share it: pages, an unsent vote (Clear Site Data §3.1).
            response.headers[.clearSiteData] = #""cache", "storage""#
            return response
        }
    }

    private func page(
        to destination: LocalPath, in frame: PageFrame, username: String = "", problem: String? = nil
    ) async throws -> LogInPage {
        let ways = providers.map { provider in
            LogInPage.Provider(
                address: provider.browserPath(to: destination, frame.language), name: provider.settings.name)
        }
        return LogInPage(
            username: username, next: destination.text, problem: problem, hasNoAccounts: try await hasNoAccounts(),
            takesRegistrations: takesRegistrations, providers: ways)
    }

    /// No while the store is away: the page itself needs none.
    private func hasNoAccounts() async throws -> Bool {
        do {
            return try await setup.isNeeded()
        } catch let error as AppError where error.code == .unavailable {
            return false
        }
    }
}

/// Asks who it is.
struct LogInPage: Page {
    static let template = "log-in"
    static let formTellsOrigin = true

    /// As typed before.
    let username: String
    /// Where to go on.
    let next: String
    /// Why it was not accepted.
    let problem: String?
    /// Whether nobody at all can log in yet: then the page says how to create the first account.
    let hasNoAccounts: Bool
    let takesRegistrations: Bool
    let providers: [Provider]

    /// A way in through somebody else's log-in.
    struct Provider: Sendable {
        let address: String
        let name: String
    }
}

/// An address of ours to go on to: a path with a query, never another site's.
struct LocalPath: Sendable {
    let text: String

    /// `/` for everything that could lead elsewhere: a scheme, `//host`, a backslash that browsers read as a slash, or a
    /// control character that they skip.
    init(_ text: String?) {
        let isLocal =
            text.map { text in
                text.hasPrefix("/") && !text.hasPrefix("//") && text.utf8.count <= 2_000
                    && text.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\\") }
            } ?? false
        self.text = isLocal ? text ?? "/" : "/"
    }
}

extension Response {
    /// To another page of ours with a GET, as after a form (RFC 9110 §15.4.4).
    static func seeOther(_ path: String) -> Response {
        Response(status: .seeOther, headers: [.location: path, .cacheControl: "no-store"])
    }
}

extension HTTPField.Name {
    static let clearSiteData = HTTPField.Name.constant("Clear-Site-Data")
}
