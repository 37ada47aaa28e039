import Hummingbird
import Shared

/// The page an invitation's link leads to. The token in it is a secret of its own, so no other site can send the form.
struct InvitationPageController: Sendable {
    let invitations: InvitationService
    let pages: PageRenderer

    /// `GET /invitation?token=`: a form for name and password; changes nothing, for mail scanners open links.
    func form(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await answering(request) {
            let token = request.query("token") ?? ""
            let offer = try await invitations.offer(token: token)
            let frame = PageFrame(request, userLocale: offer.invitation.locale)
            return try pages.response(InvitationPage(offer, token: token, policy: invitations.policy), in: frame)
        }
    }

    private struct Form: Decodable {
        let token: String
        let username: String
        let password: String
        let `repeat`: String
    }

    /// `POST /invitation`: makes the account, or shows the form again and says what was wrong.
    func accept(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await answering(request) {
            let form = try await ClassicBody.decode(Form.self, from: request)
            let offer = try await invitations.offer(token: form.token)
            let frame = PageFrame(request, userLocale: offer.invitation.locale)
            let words = pages.words(frame)
            var page = InvitationPage(offer, token: form.token, policy: invitations.policy)
            page.name = form.username
            guard form.password == form.repeat else {
                page.problem = words.text("reset.different")
                return try pages.response(page, in: frame, status: .unprocessableContent)
            }
            do {
                let user = try await invitations.accept(
                    token: form.token, name: form.username, password: form.password)
                let text = words.text("invitation.doneText").replacing("{name}", with: user.name)
                return try pages.response(
                    MessagePage(title: words.text("invitation.doneTitle"), text: text), in: frame)
            } catch let error as AppError where error.leavesFormOpen {
                page.problem = words.text(forForm: error)
                return try pages.response(page, in: frame, status: ErrorStyle.problem.status(of: error))
            }
        }
    }

    /// Explains a link that does not count, and an address that has an account by now.
    private func answering(_ request: Request, _ handle: () async throws -> Response) async throws -> Response {
        let frame = PageFrame(request)
        let words = pages.words(frame)
        return try await pages.answering(frame) {
            do {
                return try await handle()
            } catch let error as AppError where error == .linkExpired {
                return try pages.response(
                    MessagePage(title: words.text("expired.title"), text: words.text("invitation.expired")),
                    in: frame, status: .unprocessableContent)
            } catch let error as AppError where error.reason == AppError.emailTaken.reason {
                let page = MessagePage(
                    title: words.text("invitation.hasAccountTitle"), text: words.text("invitation.hasAccountText"),
                    next: MessagePage.Link(address: "/forgot-password", label: words.text("forgotten.title")))
                return try pages.response(page, in: frame, status: .conflict)
            }
        }
    }
}

/// Who is invited to what, and the form to accept.
struct InvitationPage: Page {
    static let template = "invitation"

    /// Goes back with the form.
    let token: String
    /// The address the account will have.
    let email: String
    /// The team's name, if there is a team.
    let team: String?
    /// Whether the password needs several kinds of characters.
    let needsClasses: Bool
    /// As typed before.
    var name = ""
    /// Why the form is shown again.
    var problem: String?
}

extension InvitationPage {
    init(_ offer: InvitationOffer, token: String, policy: PasswordPolicy) {
        self.init(
            token: token, email: offer.invitation.email, team: offer.teamName, needsClasses: policy == .classes)
    }
}
