import Domain
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import OpenIDConnect
import Ports
import Services

/// Login through an OpenID provider in a browser: the redirect to the provider and back.
struct SingleSignOnController: Sendable {
    let providers: [SingleSignOnProvider]
    let users: SingleSignOnService
    let codes: LoginCodes
    let logins: LoginService
    let browserLogins: BrowserLogins
    let cookie: SingleSignOnCookie
    let pages: PageRenderer
    let clock: WallClock

    /// `GET /login/{provider}`: redirects the browser to the provider. `?format=` determines how the login ends: with
    /// the cookie and the page in `?next=`, with the tokens, or with a page that shows a code for an app.
    func start(_ request: Request, context: AppRequestContext) async throws -> Response {
        let isForBrowser = request.query("format") == SingleSignOnAttempt.Format.browser.rawValue
        let destination = isForBrowser ? SitePath(sent: request.query("next")) : nil
        let wayBack = destination.map { SitePath.login.adding(next: $0) }
        let frame = PageFrame(request, isRepeatable: wayBack == nil)
        return try await renderingErrors(frame, context, wayBack: wayBack) { provider in
            let attempt = SingleSignOnAttempt(
                provider: provider.settings.id, request: AuthorizationRequest(),
                format: try request.choice("format", default: .page), next: destination?.path,
                language: request.query("language").flatMap(PageLanguage.init(tag:))?.rawValue,
                expires: clock.now.addingTimeInterval(SingleSignOnCookie.lifetime))
            let address = try await provider.client.authorizationURL(for: attempt.request)
            var response = Response(status: .seeOther, headers: [.location: address, .cacheControl: "no-store"])
            for value in try cookie.keeping(attempt, in: request) {
                response.headers.append(HTTPField(name: .setCookie, value: value))
            }
            return response
        }
    }

    /// `GET /login/{provider}/callback`: the provider redirects the browser here. This ends the attempt in any case.
    func finish(_ request: Request, context: AppRequestContext) async throws -> Response {
        let attempt = cookie.attempt(in: request)
        let frame = PageFrame(request, userLocale: attempt?.language, isRepeatable: false)
        let wayBack = wayBack(of: attempt, through: provider(in: context))
        var response = try await renderingErrors(frame, context, wayBack: wayBack) { provider in
            let provided = try await user(request, attempt, through: provider, logger: context.logger)
            let user = provided.user
            switch attempt?.format {
            case .json:
                let login = try await logins.logIn(verified: user, device: request.device, lifetime: .rotating)
                return try JSONBody.response(TokenResponse(login))
            case .browser:
                let login = try await logins.logIn(verified: user, device: request.device, lifetime: .browser)
                let next = SitePath(sent: attempt?.next)
                var response = Response.seeOther(next)
                if let notice = notice(for: provided, of: provider, frame) {
                    let words = pages.words(frame)
                    let page = MessagePage(
                        title: words.text("signOn.title"), text: notice,
                        next: .init(address: next, label: words.text("signOn.continue")))
                    response = try pages.response(page, in: frame)
                }
                return await browserLogins.keep(login, on: frame.language, in: response)
            case .page, nil:
                let frame = PageFrame(request, userLocale: user.locale, isRepeatable: false)
                let page = SignedOnPage(
                    userName: user.name, code: try await codes.make(for: user),
                    notice: notice(for: provided, of: provider, frame))
                return try pages.response(page, in: frame)
            }
        }
        if let ending = cookie.ending(for: request) {
            response.headers.append(HTTPField(name: .setCookie, value: ending))
        }
        return response
    }

    /// Where an error page links to: an app's login restarts at the provider. All others lead to the form, also if the
    /// cookie has expired, since most attempts are a browser's.
    private func wayBack(of attempt: SingleSignOnAttempt?, through provider: SingleSignOnProvider?) -> SitePath? {
        guard let provider else { return nil }
        switch attempt?.format {
        case .page, .json: return provider.start
        case .browser: return SitePath.login.adding(next: SitePath(sent: attempt?.next))
        case nil: return .login
        }
    }

    private func user(
        _ request: Request, _ attempt: SingleSignOnAttempt?, through provider: SingleSignOnProvider, logger: Logger
    ) async throws -> ProvidedUser {
        if request.query("error") == "access_denied", request.query("state") == nil {
            // Some providers omit the state here, although RFC 6749 §4.1.2.1 requires it. The error response itself has
            // no effect.
            throw Self.denied
        }
        guard let attempt, attempt.provider == provider.settings.id,
            let state = request.query("state"),
            SecureBytes.areEqual(Array(state.utf8), Array(attempt.request.state.utf8))
        else { throw Self.notBegunHere }
        guard clock.now < attempt.expires else { throw Self.expired }
        if let error = request.query("error") {
            guard error != "access_denied" else { throw Self.denied }
            // RFC 6749 §4.1.2.1; every other error is the provider's fault or one in our settings. Its description may
            // name the person.
            let name = error.wholeMatch(of: /[a-z_]{1,40}/) == nil ? "unknown" : error
            Self.log("the provider answered with the error \(name)", of: provider, in: logger)
            throw Self.invalid
        }
        guard let code = request.query("code"), !code.isEmpty else {
            Self.log("the provider answered without a code", of: provider, in: logger)
            throw Self.invalid
        }
        let claims = try await provider.client.claims(
            code: code, answerIssuer: request.query("iss"), for: attempt.request)
        let identity = provider.identity(claims, language: PageLanguage(request))
        do {
            return try await users.user(for: identity, through: provider.settings)
        } catch let error as AppError {
            let advice = provider.settings.advice(on: error.reason).map { ". \($0)" } ?? ""
            Self.log("\(error.reason.rawValue)\(advice)", of: provider, in: logger)
            throw error
        }
    }

    /// What a user is told whose account has not taken over the provider's new address; `nil` for all others.
    private func notice(for provided: ProvidedUser, of provider: SingleSignOnProvider, _ frame: PageFrame) -> String? {
        guard provided.keepsOtherEmail else { return nil }
        let values = ["provider": provider.settings.name, "email": provided.user.email]
        return pages.words(frame).text("signOn.keptEmail", values)
    }

    /// - Parameter reason: without any value of the person's token.
    private static func log(_ reason: String, of provider: SingleSignOnProvider, in logger: Logger) {
        logger.warning(
            "Single sign-on failed", metadata: ["oidc.provider": "\(provider.settings.id)", "reason": "\(reason)"])
    }

    private func provider(in context: AppRequestContext) -> SingleSignOnProvider? {
        providers.first { $0.settings.id == context.parameters.get("provider") }
    }

    /// Turns errors into pages that lead back to the start, and logs the providers' errors.
    /// - Parameter wayBack: where the error page links to; `nil` for no link.
    private func renderingErrors(
        _ frame: PageFrame, _ context: AppRequestContext, wayBack: SitePath?,
        _ handle: (SingleSignOnProvider) async throws -> Response
    ) async throws -> Response {
        try await pages.renderingErrors(frame) {
            guard let provider = provider(in: context) else { throw Self.noSuchProvider }
            let rejection: AppError
            do {
                return try await handle(provider)
            } catch let error as OpenIDError {
                Self.log("\(error)", of: provider, in: context.logger)
                rejection = Self.rejection(for: error)
            } catch {
                guard let error = AppError(error) else { throw error }
                rejection = error
            }
            guard let wayBack else { throw rejection }
            let words = pages.words(frame)
            let page = MessagePage(
                title: words.text("signOn.failedTitle"), text: words.text(for: rejection),
                next: .init(address: wayBack, label: words.text("signOn.again")))
            return try pages.response(page, in: frame, refusing: rejection)
        }
    }

    private static func rejection(for error: OpenIDError) -> AppError {
        switch error {
        case .unavailable: providerAway
        case .codeRefused: expired
        case .tokenRefused: invalid
        }
    }

    private static let noSuchProvider = AppError(
        .notFound, "There’s no such log-in provider.", reason: .noSuchProvider)
    private static let providerAway = AppError(
        .unavailable, "The provider can’t be reached right now. Please try again in a moment.",
        reason: .providerUnavailable, retryAfter: 10)
    private static let notBegunHere = AppError(
        .unprocessable, "This log-in wasn’t started in this browser.", reason: .logInNotBegunHere)
    private static let expired = AppError(
        .unprocessable, "This log-in took too long, or is already finished.", reason: .logInExpired)
    private static let denied = AppError(
        .forbidden, "The log-in was cancelled at the provider.", reason: .logInDenied)
    private static let invalid = AppError(
        .forbidden, "The provider sent an invalid response.", reason: .providerAnswerInvalid)
}

/// Shown when a user has logged in for an app.
struct SignedOnPage: Page {
    static let template = "signed-on"

    /// Name of their account.
    let userName: String
    /// A code of `LoginCodes` for the app.
    let code: String
    /// That the account has another address than the provider; `nil` if it has not.
    let notice: String?
}
