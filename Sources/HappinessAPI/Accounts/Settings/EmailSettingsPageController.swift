import Domain
import Hummingbird
import Services

/// Changes the e-mail address.
struct EmailSettingsPageController: Sendable {
    let forms: SettingsForms
    let accounts: AccountService
    let emails: EmailChangeService

    /// `GET /settings/email`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context) { try await page($0) }
    }

    private struct Form: Decodable {
        let email: String
        let password: String?
    }

    /// `POST /settings/email`: mails a link to the new address, which replaces the old one once the link is opened.
    func change(_ request: Request, context: AppRequestContext) async throws -> Response {
        var typed = ""
        return try await forms.submit(Form.self, request, context, then: .email) {
            try await page($0, typed: typed)
        } _: { form, visit in
            typed = form.email
            let address = try EmailAddress(typed: form.email, orSay: visit.words.text("forgotten.notAnAddress"))
            try await emails.request(address, password: form.password, by: visit.principal)
        }
    }

    private func page(_ visit: PageVisit, typed: String = "") async throws -> EmailSettingsPage {
        let user = try await accounts.account(of: visit.principal)
        return EmailSettingsPage(
            email: user.email,
            addressFault: user.addressFault.map { $0.text(visit.words, in: visit.frame.language) },
            pendingEmail: user.pendingEmail, setOn: visit.emailSetOn(user),
            hasPassword: user.passwordHash != nil, typed: typed,
            done: visit.done, problem: visit.problem)
    }
}

/// The form for another e-mail address.
struct EmailSettingsPage: Page {
    static let template = "settings-email"

    /// The current address.
    let email: String
    /// Says that mails to it do not arrive, why and since when; `nil` if nothing is known against it.
    let addressFault: String?
    /// A new address that is not confirmed yet.
    let pendingEmail: String?
    /// Says when an administrator last set the address.
    let setOn: String?
    /// False for users who log in through a provider: they must have logged in recently instead.
    let hasPassword: Bool
    /// The address as typed before.
    let typed: String
    let done: String?
    let problem: FormProblem?
}

extension PageVisit {
    /// Tells a user that an administrator set their address, and when; `nil` if none ever did.
    func emailSetOn(_ user: User) -> String? {
        user.emailSetOn.map { words.text("email.setOn", ["day": $0.text(in: frame.language)]) }
    }
}
