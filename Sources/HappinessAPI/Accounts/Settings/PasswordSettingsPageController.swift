import Domain
import Hummingbird
import Services

/// Changes the password, in the settings or when a user is asked for their own after the login.
struct PasswordSettingsPageController: Sendable {
    let forms: SettingsForms
    let accounts: AccountService
    let passwords: PasswordChangeService
    let policy: PasswordPolicy

    /// `GET /settings/password`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context, page)
    }

    /// `GET /.well-known/change-password`: where password managers send people to change theirs (W3C, "A Well-Known URL
    /// for Changing Passwords", §3). They ask without a login.
    func wellKnown(_ request: Request, context: AppRequestContext) -> Response {
        .seeOther(.passwordSettings)
    }

    private struct Form: Decodable {
        let current: String
        let password: String
        let `repeat`: String
    }

    /// `POST /settings/password`: also ends every other session.
    func change(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.submit(Form.self, request, context, then: .password, orShow: page, apply)
    }

    private func apply(_ form: Form, _ visit: PageVisit) async throws {
        guard !form.current.isEmpty, !form.password.isEmpty else {
            let empty = form.current.isEmpty ? "current" : "password"
            throw FormProblem(visit.words.text("password.missing"), at: empty)
        }
        guard form.password == form.repeat else { throw visit.words.differentPasswords }
        try await passwords.change(from: form.current, to: form.password, by: visit.principal)
    }

    private func page(_ visit: PageVisit) async throws -> PasswordSettingsPage {
        let user = try await accounts.account(of: visit.principal)
        return PasswordSettingsPage(
            userName: user.name, hasPassword: user.passwordHash != nil, isHandedOut: user.passwordIsHandedOut,
            needsClasses: policy == .classes, problem: visit.problem)
    }
}

// MARK: - After the login

extension PasswordSettingsPageController {
    /// The page that asks for a password of the user's own, and then continues with another page.
    ///
    /// The page asks and does not insist: its link "Not now" leads on as well, and the next login asks again. A user
    /// often comes from a reminder, and a sprint may end before they have thought of a password; their vote must not
    /// depend on it. A user who is forced also tends to append a digit.
    static func question(before destination: SitePath) -> SitePath {
        // A user whose login ended on this page comes back to it, and is asked once.
        destination.page == .ownPassword ? destination : .ownPassword.adding("next", destination.path)
    }

    /// `GET /own-password?next=`: redirects a user whose password is their own.
    func ask(_ request: Request, context: AppRequestContext) async throws -> Response {
        let next = SitePath(sent: request.query("next"))
        return try await forms.withVisitor(request, context) { visit in
            guard visit.user.passwordIsHandedOut else { return .seeOther(next) }
            return try forms.pages.response(question(visit, before: next), in: visit.frame)
        }
    }

    /// `POST /own-password?next=`: as `change`, and leads on. It asks for the present password, too: a browser left
    /// open must not be enough to take over an account.
    func choose(_ request: Request, context: AppRequestContext) async throws -> Response {
        let next = SitePath(sent: request.query("next"))
        return try await forms.submit(Form.self, request, context) {
            question($0, before: next)
        } response: { form, visit in
            try await apply(form, visit)
            return .seeOther(next)
        }
    }

    private func question(_ visit: PageVisit, before next: SitePath) -> OwnPasswordPage {
        OwnPasswordPage(
            userName: visit.user.name, address: Self.question(before: next), next: next,
            needsClasses: policy == .classes, problem: visit.problem)
    }
}

/// The form for another password.
struct PasswordSettingsPage: Page {
    static let template = "settings-password"

    /// For password managers.
    let userName: String
    /// False for users who log in through a provider.
    let hasPassword: Bool
    /// Whether somebody else set the password.
    let isHandedOut: Bool
    /// Whether the policy demands several kinds of characters.
    let needsClasses: Bool
    let problem: FormProblem?
}

/// Asks a user for a password of their own, after a login with one that someone else set.
struct OwnPasswordPage: Page {
    static let template = "own-password"

    /// For password managers.
    let userName: String
    /// The path that receives the form, with `next` in its query.
    let address: SitePath
    /// Where "Not now" leads.
    let next: SitePath
    /// Whether the policy demands several kinds of characters.
    let needsClasses: Bool
    let problem: FormProblem?
}
