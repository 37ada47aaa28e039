import Domain
import Hummingbird
import Services

/// The page behind an invitation's link. The token in it is a secret, so no other site can send the form.
struct InvitationPageController: Sendable {
    let invitations: InvitationService
    let pages: PageRenderer
    let newcomers: AccountCreatedPage

    /// `GET /invitation?token=`: a form for name and password; for an existing account, asks whether to join. Changes
    /// nothing, since mail scanners open links.
    func form(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await renderingErrors(request) {
            let token = request.query("token") ?? ""
            let offer = try await invitations.offer(token: token)
            let frame = PageFrame(request, userLocale: offer.locale)
            if let page = JoinPage(offer, token: token) { return try pages.response(page, in: frame) }
            return try pages.response(InvitationPage(offer, token: token, policy: invitations.policy), in: frame)
        }
    }

    private struct Form: Decodable {
        let token: String
        /// For a new account, like the fields below.
        let username: String?
        let password: String?
        let `repeat`: String?
    }

    /// `POST /invitation`: adds the account to the team, or creates one; or shows the form with the reason.
    func accept(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await renderingErrors(request) {
            let form = try await FormBody.decode(Form.self, from: request)
            let offer = try await invitations.offer(token: form.token)
            let frame = PageFrame(request, userLocale: offer.locale)
            let words = pages.words(frame)
            var page = InvitationPage(offer, token: form.token, policy: invitations.policy)
            page.name = form.username ?? ""
            guard offer.account != nil || form.password == form.repeat else {
                page.problem = words.differentPasswords
                return try pages.response(page, in: frame, status: .unprocessableContent)
            }
            do {
                let accepted = try await invitations.accept(
                    token: form.token, name: form.username, password: form.password,
                    language: frame.language.mailLocale)
                if accepted.isNewAccount {
                    return try await newcomers.response(to: accepted.user, request, in: frame)
                }
                return try pages.response(joined(accepted.user, words), in: frame)
            } catch let error as AppError where error.leavesFormOpen && offer.account == nil {
                page.problem = words.problem(inForm: error)
                return try pages.response(page, in: frame, status: ErrorStyle.problem.status(of: error))
            }
        }
    }

    private func joined(_ user: User, _ words: LocalizedTexts) -> MessagePage {
        MessagePage(
            title: words.text("join.doneTitle"), text: words.text("join.doneText").replacing("{name}", with: user.name),
            next: .logIn(words))
    }

    /// Handles invalid links, and addresses that got an account meanwhile and have no team to join.
    private func renderingErrors(_ request: Request, _ handle: () async throws -> Response) async throws -> Response {
        let frame = PageFrame(request)
        let words = pages.words(frame)
        return try await pages.renderingErrors(frame) {
            do {
                return try await handle()
            } catch let error as AppError where error == .linkExpired {
                return try pages.response(
                    MessagePage(title: words.text("expired.title"), text: words.text("invitation.expired")),
                    in: frame, status: .unprocessableContent)
            } catch let error as AppError where error.reason == .emailTaken {
                let page = MessagePage(
                    title: words.text("invitation.hasAccountTitle"), text: words.text("invitation.hasAccountText"),
                    next: MessagePage.Link(address: .forgotPassword, label: words.text("forgotten.title")))
                return try pages.response(page, in: frame, status: .conflict)
            }
        }
    }
}

/// The form to accept an invitation.
struct InvitationPage: Page {
    static let template = "invitation"

    /// Sent back with the form.
    let token: String
    /// The address the account will have.
    let email: String
    /// The team's name; `nil` if the invitation has no team.
    let team: String?
    /// Whether the password needs several kinds of characters.
    let needsClasses: Bool
    /// As typed before.
    var name = ""
    /// Why the form is shown again.
    var problem: FormProblem?
}

extension InvitationPage {
    init(_ offer: InvitationOffer, token: String, policy: PasswordPolicy) {
        self.init(token: token, email: offer.invitation.email, team: offer.teamName, needsClasses: policy == .classes)
    }
}

/// Asks the owner of an account whether to join a team.
struct JoinPage: Page {
    static let template = "invitation-join"

    /// Sent back with the form.
    let token: String
    /// The account's user name.
    let name: String
    /// The team's name.
    let team: String
}

extension JoinPage {
    /// `nil` for an address without an account.
    init?(_ offer: InvitationOffer, token: String) {
        guard let account = offer.account, let team = offer.teamName else { return nil }
        self.init(token: token, name: account.name, team: team)
    }
}
