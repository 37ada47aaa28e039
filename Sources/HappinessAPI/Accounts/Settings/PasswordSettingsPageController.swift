import Hummingbird
import Services

/// Changes the password.
struct PasswordSettingsPageController: Sendable {
    let forms: SettingsForms
    let accounts: AccountService
    let passwords: PasswordChangeService
    let policy: PasswordPolicy

    /// `GET /settings/password`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context, page)
    }

    private struct Form: Decodable {
        let current: String
        let password: String
        let `repeat`: String
    }

    /// `POST /settings/password`: also ends every other session.
    func change(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.take(Form.self, request, context, then: .password, orShow: page) { form, visit in
            guard !form.current.isEmpty, !form.password.isEmpty else {
                let empty = form.current.isEmpty ? "current" : "password"
                throw FormProblem(visit.words.text("password.missing"), at: empty)
            }
            guard form.password == form.repeat else { throw visit.words.differentPasswords }
            try await passwords.change(from: form.current, to: form.password, by: visit.principal)
        }
    }

    private func page(_ visit: PageVisit) async throws -> PasswordSettingsPage {
        let user = try await accounts.account(of: visit.principal)
        return PasswordSettingsPage(
            userName: user.name, hasPassword: user.passwordHash != nil, needsClasses: policy == .classes,
            problem: visit.problem)
    }
}

/// The form for another password.
struct PasswordSettingsPage: Page {
    static let template = "settings-password"

    /// For password managers.
    let userName: String
    /// False for users who log in through a provider.
    let hasPassword: Bool
    /// Whether the policy demands several kinds of characters.
    let needsClasses: Bool
    let problem: FormProblem?
}
