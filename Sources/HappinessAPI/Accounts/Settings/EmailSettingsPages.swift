import Hummingbird
import Shared

/// Another e-mail address.
struct EmailSettingsPages: Sendable {
    let forms: SettingsForms
    let accounts: AccountService
    let emails: EmailChangeService

    static let path = "/settings/email"

    /// `GET /settings/email`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context) { try await page($0) }
    }

    private struct Form: Decodable {
        let email: String
        let password: String?
    }

    /// `POST /settings/email`: a link goes to the new address, which counts once the link was used.
    func change(_ request: Request, context: AppRequestContext) async throws -> Response {
        var typed = ""
        return try await forms.take(Form.self, request, context, then: .email) {
            try await page($0, typed: typed)
        } _: { form, visit in
            typed = form.email
            let address: EmailAddress
            do throws(AppError) {
                address = try EmailAddress(form.email)
            } catch {
                throw FormProblem(text: visit.words.text("forgotten.notAnAddress"))
            }
            try await emails.request(address, password: form.password, by: visit.principal)
        }
    }

    private func page(_ visit: PageVisit, typed: String = "") async throws -> EmailSettingsPage {
        let user = try await accounts.account(of: visit.principal)
        return EmailSettingsPage(
            email: user.email, pendingEmail: user.pendingEmail, hasPassword: user.passwordHash != nil, typed: typed,
            done: visit.done, problem: visit.problem)
    }
}

/// The form for another e-mail address.
struct EmailSettingsPage: Page {
    static let template = "settings-email"

    /// The one that counts.
    let email: String
    /// The one that waits to be confirmed.
    let pendingEmail: String?
    /// False for who logs in elsewhere: then the log-in must be a fresh one.
    let hasPassword: Bool
    /// As typed before.
    let typed: String
    let done: String?
    let problem: String?
}
