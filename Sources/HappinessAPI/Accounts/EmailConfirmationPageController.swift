import Domain
import Hummingbird
import Services

/// The page behind the link that confirms a new e-mail address.
///
/// As in `PasswordResetPageController`, the token from the mail protects the form.
struct EmailConfirmationPageController: Sendable {
    let pages: PageRenderer
    let emails: EmailChangeService

    /// `GET /confirm-email?token=`: a page with a button. Changes nothing, since mail scanners open links.
    func form(_ request: Request, context: AppRequestContext) async throws -> Response {
        let token = request.query("token") ?? ""
        return try await forOwner(of: token, request) { user, frame in
            let page = EmailConfirmationPage(email: user.pendingEmail ?? "", token: token)
            return try pages.response(page, in: frame)
        }
    }

    private struct Form: Decodable {
        let token: String
    }

    /// `POST /confirm-email`: makes the address the account's.
    func confirm(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await pages.submitting(Form.self, in: request) { form in
            try await forOwner(of: form.token, request) { _, frame in
                try await emails.confirm(form.token)
                let words = pages.words(frame)
                let page = MessagePage(
                    title: words.text("confirmEmail.doneTitle"), text: words.text("confirmEmail.doneText"),
                    next: .init(address: .start, label: words.text("errors.toStart")))
                return try pages.response(page, in: frame)
            }
        }
    }

    private func forOwner(
        of token: String, _ request: Request, _ handle: (User, PageFrame) async throws -> Response
    ) async throws -> Response {
        try await pages.renderingErrorsForOwner(request, handle: handle) {
            try await emails.account(of: token)
        } expired: { _, words in
            MessagePage(title: words.text("expired.title"), text: words.text("expired.emailText"))
        }
    }
}

/// Asks the user to confirm the address.
struct EmailConfirmationPage: Page {
    static let template = "email-confirm"

    /// The new address.
    let email: String
    /// The token of the link.
    let token: String
}
