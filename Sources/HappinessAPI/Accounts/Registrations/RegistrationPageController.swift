import Domain
import Hummingbird
import Services

/// Registration in a browser, and the page behind the mailed link.
struct RegistrationPageController: Sendable {
    let registrations: RegistrationService
    let pages: PageRenderer
    let newcomers: AccountCreatedPage
    let clientAddress: ClientAddress

    /// `GET /register`; 404 while registration is disabled.
    func form(_ request: Request, context: AppRequestContext) async throws -> Response {
        let frame = PageFrame(request)
        return try await pages.renderingErrors(frame) {
            try registrations.requireOpen()
            return try pages.response(RegisterPage(registrations), in: frame)
        }
    }

    private struct Form: Decodable {
        let username: String
        let email: String
        let password: String
        let `repeat`: String
    }

    /// `POST /register`: asks the user to check their mailbox, whether or not the address has an account.
    func register(_ request: Request, context: AppRequestContext) async throws -> Response {
        let frame = PageFrame(request)
        return try await pages.renderingErrors(frame) {
            try registrations.requireOpen()
            let form = try await FormBody.decode(Form.self, from: request)
            let words = pages.words(frame)
            var page = RegisterPage(registrations)
            page.name = form.username
            page.email = form.email
            guard form.password == form.repeat else {
                page.problem = words.differentPasswords
                return try pages.response(page, in: frame, status: .unprocessableContent)
            }
            do {
                try await registrations.register(
                    RegistrationService.Request(
                        name: form.username, email: form.email, password: form.password,
                        locale: MailLocale(tag: frame.language.rawValue)),
                    from: clientAddress.of(request, context: context))
            } catch let error as AppError where error.leavesFormOpen {
                page.problem = words.problem(inForm: error)
                return try pages.response(page, in: frame, status: ErrorStyle.problem.status(of: error))
            }
            return try pages.response(
                MessagePage(title: words.text("register.sentTitle"), text: words.text("register.sentText")),
                in: frame, status: .accepted)
        }
    }

    private struct AgainForm: Decodable {
        let email: String
    }

    /// `POST /register/again`: mails another link if a registration waits for this address. The answer is the same if
    /// none does.
    func resend(_ request: Request, context: AppRequestContext) async throws -> Response {
        let frame = PageFrame(request)
        return try await pages.renderingErrors(frame) {
            let form = try await FormBody.decode(AgainForm.self, from: request)
            try await registrations.resend(email: form.email, from: clientAddress.of(request, context: context))
            let words = pages.words(frame)
            return try pages.response(
                MessagePage(title: words.text("register.sentTitle"), text: words.text("register.sentText")),
                in: frame, status: .accepted)
        }
    }

    /// `GET /registration?token=`: asks for the password. Changes nothing, since mail scanners open links.
    ///
    /// It shows the chosen name: a recipient who did not request the link can see that it is not theirs.
    func confirmation(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await renderingErrors(request) {
            let token = request.query("token") ?? ""
            let registration = try await registrations.pending(token: token)
            return try pages.response(
                RegistrationPage(registration, token: token), in: PageFrame(request, userLocale: registration.locale))
        }
    }

    private struct ConfirmForm: Decodable {
        let token: String
        let password: String
    }

    /// `POST /registration`: creates the account if the password is the one chosen with it, or asks again.
    func confirm(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await renderingErrors(request) {
            let form = try await FormBody.decode(ConfirmForm.self, from: request)
            let registration = try await registrations.pending(token: form.token)
            let frame = PageFrame(request, userLocale: registration.locale)
            let words = pages.words(frame)
            do {
                let user = try await registrations.confirm(
                    token: form.token, password: form.password, from: clientAddress.of(request, context: context),
                    language: frame.language.mailLocale)
                return try await newcomers.response(to: user, request, in: frame)
            } catch let error as AppError where Self.leavesConfirmationOpen(error) {
                var page = RegistrationPage(registration, token: form.token)
                page.problem =
                    error.code == .forbidden
                    ? FormProblem(words.text("registration.wrongPassword"), at: "password") : words.problem(error)
                return try pages.response(page, in: frame, refusing: error)
            }
        }
    }

    /// Whether the same link still works with the right password, now or later.
    private static func leavesConfirmationOpen(_ error: AppError) -> Bool {
        switch error.code {
        case .forbidden, .tooManyRequests, .unavailable: true
        case .malformed, .unauthenticated, .notFound, .conflict, .tooSlow, .tooLarge, .unsupportedMediaType,
            .unprocessable:
            false
        }
    }

    /// Handles an invalid link, or a name that was taken meanwhile, by leading back to the form.
    private func renderingErrors(_ request: Request, _ handle: () async throws -> Response) async throws -> Response {
        let frame = PageFrame(request)
        let words = pages.words(frame)
        let again = MessagePage.Link(address: .register, label: words.text("registration.again"))
        return try await pages.renderingErrors(frame) {
            do {
                return try await handle()
            } catch let error as AppError where error == .linkExpired {
                return try pages.response(
                    MessagePage(title: words.text("expired.title"), text: words.text("expired.text"), next: again),
                    in: frame, status: .unprocessableContent)
            } catch let error as AppError where error.reason == .nameTaken {
                return try pages.response(
                    MessagePage(title: words.text("errors.title"), text: words.text(for: .nameTaken), next: again),
                    in: frame, status: .conflict)
            }
        }
    }
}

struct RegisterPage: Page {
    static let template = "register"
    static let formTellsOrigin = true

    /// The accepted domains, as text.
    let domains: String
    /// Whether the password needs several kinds of characters.
    let needsClasses: Bool
    /// As typed before.
    var name = ""
    /// As typed before.
    var email = ""
    /// Why the form is shown again.
    var problem: FormProblem?
}

extension RegisterPage {
    init(_ registrations: RegistrationService) {
        self.init(
            domains: registrations.domains.names.joined(separator: ", "),
            needsClasses: registrations.policy == .classes)
    }
}

/// Shows what will be confirmed, and asks for the password.
struct RegistrationPage: Page {
    static let template = "registration"

    /// Sent back with the form.
    let token: String
    /// The chosen user name.
    let name: String
    /// The address to confirm.
    let email: String
    /// Why the form is shown again.
    var problem: FormProblem?
}

extension RegistrationPage {
    init(_ registration: Registration, token: String) {
        self.init(token: token, name: registration.name, email: registration.email)
    }
}
