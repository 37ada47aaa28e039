import Domain
import Hummingbird
import Services

/// Changes the display name and the user name.
struct NameSettingsPageController: Sendable {
    let forms: SettingsForms
    let accounts: AccountService

    /// `GET /settings/name`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context) { try await page($0) }
    }

    private struct Form: Decodable {
        let displayName: String
        let username: String
    }

    /// `POST /settings/name`
    func change(_ request: Request, context: AppRequestContext) async throws -> Response {
        var typed: Form?
        return try await forms.submit(Form.self, request, context, then: .name) {
            try await page($0, typed: typed)
        } _: { form, visit in
            typed = form
            do {
                let change = AccountChange(name: form.username, displayName: form.displayName)
                _ = try await accounts.change(change, by: visit.principal)
            } catch let error as AppError where error.code == .unprocessable {
                throw visit.words.problem(inForm: error)
            }
        }
    }

    private func page(_ visit: PageVisit, typed: Form? = nil) async throws -> NameSettingsPage {
        let user = try await accounts.account(of: visit.principal)
        return NameSettingsPage(
            displayName: typed?.displayName ?? user.displayName ?? "", userName: typed?.username ?? user.name,
            problem: visit.problem)
    }
}

/// The form for the names.
struct NameSettingsPage: Page {
    static let template = "settings-name"

    /// As typed, or as stored.
    let displayName: String
    /// As typed, or as stored.
    let userName: String
    let maximumLength = UserName.maximumLength
    let problem: FormProblem?
}
