import Domain
import HTTPTypes
import Hummingbird
import Services

/// Deletes the user's account after a confirmation.
struct AccountDeletionPageController: Sendable {
    let forms: SettingsForms
    let accounts: AccountService

    /// `GET /settings/delete`: shows what would be deleted and what would remain. Changes nothing.
    func ask(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context, page)
    }

    private struct Form: Decodable {
        let password: String?
    }

    /// `POST /settings/delete`
    func delete(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.submit(Form.self, request, context, orShow: page) { form, visit in
            try await accounts.delete(visit.principal, proof: .password(form.password))
            // Without the frame of a logged-in user: the account no longer exists.
            let frame = PageFrame(request, userLocale: visit.frame.language.rawValue)
            let done = AccountDeletedPage(
                title: visit.words.text("deletion.doneTitle"), text: visit.words.text("deletion.doneText"))
            var response = try forms.pages.response(done, in: frame)
            response.headers[.setCookie] = forms.viewers.browsers.cookie.ending
            response.clearCache(of: forms.pages.publicPath)
            return response
        }
    }

    private func page(_ visit: PageVisit) async throws -> AccountDeletionPage {
        let user = try await accounts.account(of: visit.principal)
        return AccountDeletionPage(name: user.name, hasPassword: user.passwordHash != nil, problem: visit.problem)
    }
}

/// Asks for confirmation.
struct AccountDeletionPage: Page {
    static let template = "settings-delete"

    let name: String
    /// False for users who log in through a provider: they must have logged in recently instead.
    let hasPassword: Bool
    let problem: FormProblem?
}

/// Shown once the account is deleted. Its script deletes what the browser stores for the user.
struct AccountDeletedPage: Page {
    static let template = "account-deleted"

    /// The heading.
    let title: String
    let text: String
}
