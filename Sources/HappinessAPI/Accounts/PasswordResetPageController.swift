import Domain
import Hummingbird
import Services

/// Password reset for people: requests the mail, and handles its link.
///
/// The forms need no other token against forgery by other sites: the token from the mail is unknown to them, and
/// nothing here uses the browser's session.
struct PasswordResetPageController: Sendable {
    let pages: PageRenderer
    let resets: PasswordResetService
    let passwordPolicy: PasswordPolicy
    let clientAddress: ClientAddress

    /// `GET /forgot-password`
    func requestForm(_ request: Request, context: AppRequestContext) async throws -> Response {
        try pages.response(PasswordForgottenPage(), in: PageFrame(request))
    }

    private struct MailForm: Decodable {
        let email: String
    }

    /// `POST /forgot-password`: the same page whether or not the address has an account.
    func requestMail(_ request: Request, context: AppRequestContext) async throws -> Response {
        let frame = PageFrame(request)
        let words = pages.words(frame)
        return try await pages.renderingErrors(frame) {
            let form = try await FormBody.decode(MailForm.self, from: request)
            let address: EmailAddress
            do throws(AppError) {
                address = try EmailAddress(form.email)
            } catch {
                let page = PasswordForgottenPage(
                    email: form.email, problem: FormProblem(words.text("forgotten.notAnAddress"), at: "email"))
                return try pages.response(page, in: frame, status: .badRequest)
            }
            try await resets.request(for: address, from: clientAddress.of(request, context: context))
            let page = MessagePage(title: words.text("forgotten.sentTitle"), text: words.text("forgotten.sentText"))
            return try pages.response(page, in: frame)
        }
    }

    /// `GET /user/resetPassword?token=`: the form. Changes nothing, since mail scanners open links.
    func form(_ request: Request, context: AppRequestContext) async throws -> Response {
        let token = request.query("token") ?? ""
        return try await forOwner(of: token, request) { user, frame in
            try pages.response(page(for: user, token: token), in: frame)
        }
    }

    private struct ResetForm: Decodable {
        let token: String
        let password: String?
        let repeated: String?
        let choice: Choice?

        enum Choice: String, Decodable {
            case own
            case generated
        }

        private enum CodingKeys: String, CodingKey {
            case token, password, choice
            case repeated = "repeat"
        }
    }

    /// `POST /user/resetPassword`: sets the password, once per token: the one typed twice, or a generated one that the
    /// response shows.
    func reset(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await pages.submitting(ResetForm.self, in: request) { form in
            try await forOwner(of: form.token, request) { try await reset(form, for: $0, in: $1) }
        }
    }

    private func reset(_ form: ResetForm, for user: User, in frame: PageFrame) async throws -> Response {
        let words = pages.words(frame)
        func retry(_ problem: FormProblem) throws -> Response {
            let page = page(for: user, token: form.token, problem: problem)
            return try pages.response(page, in: frame, status: .unprocessableContent)
        }
        let generated = form.choice == .generated ? PasswordGenerator.password(for: passwordPolicy) : nil
        if generated == nil {
            guard let typed = form.password, !typed.isEmpty else {
                return try retry(FormProblem(words.text("reset.missing"), at: "password"))
            }
            guard typed == form.repeated else { return try retry(words.differentPasswords) }
        }
        do {
            try await resets.reset(form.token, to: generated ?? form.password ?? "")
        } catch let error as AppError where error.code == .unprocessable && error != .linkExpired {
            return try retry(words.problem(error))
        }
        return try pages.response(PasswordResetDonePage(generatedPassword: generated), in: frame)
    }

    private func forOwner(
        of token: String, _ request: Request, _ handle: (User, PageFrame) async throws -> Response
    ) async throws -> Response {
        try await pages.renderingErrorsForOwner(request, handle: handle) {
            try await resets.account(of: token)
        } expired: { frame, words in
            let next = MessagePage.Link(
                address: SitePath.forgotPassword.adding("language", frame.language.rawValue),
                label: words.text("expired.newReset"))
            return MessagePage(title: words.text("expired.title"), text: words.text("expired.text"), next: next)
        }
    }

    private func page(for user: User, token: String, problem: FormProblem? = nil) -> PasswordResetPage {
        PasswordResetPage(userName: user.name, token: token, needsClasses: passwordPolicy == .classes, problem: problem)
    }
}

/// Asks for the address of the account.
struct PasswordForgottenPage: Page {
    static let template = "password-forgotten"
    static let formTellsOrigin = true

    /// The address as typed before.
    var email = ""
    /// Why the address was rejected.
    var problem: FormProblem?
}

/// The form for a new password.
struct PasswordResetPage: Page {
    static let template = "password-reset"

    let userName: String
    /// The token of the link.
    let token: String
    /// Whether the policy demands several kinds of characters.
    let needsClasses: Bool
    /// Why the previous password was rejected.
    var problem: FormProblem?
}

/// Confirms that the password is set.
struct PasswordResetDonePage: Page {
    static let template = "password-reset-done"

    /// The generated password, shown only here; `nil` if the user typed their own.
    let generatedPassword: String?
}
