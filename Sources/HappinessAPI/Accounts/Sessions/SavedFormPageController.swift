import Domain
import HTTPTypes
import Hummingbird

/// Keeps forms that arrived after their senders' logins had ended, and restores them. A form stays in a page in the
/// browser while its sender logs in as usual in another window. The login does not know about the form, so neither a
/// counter nor a log line about logins reveals that a ballot was sent.
struct SavedFormPageController: Sendable {
    let pages: PageRenderer
    let viewers: ViewerFinder
    let votes: VotePageController
    let forms: FormSealer

    /// The page that keeps a request's form; `nil` if the form should be filled in again (`FormSealer.keep`).
    func keep(_ request: Request) async throws -> Response? {
        try await forms.keep(request).map { try waiting($0, request) }
    }

    /// `GET /kept-form`: where the login next to the kept form ends. With scripts, this window has the form and
    /// sends it; without, the page says where the form is.
    func loggedInAgain(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await viewers.renderingErrors(request, context, with: pages) {
            let viewed = try await viewers.frame(request, context: context, for: .member)
            return try pages.response(LoggedInAgainPage(), in: viewed.frame)
        }
    }

    private struct SavedFormRequest: Decodable {
        let kept: String
    }

    /// `POST /kept-form`: shows the form, filled in, to its sender, who has logged in meanwhile. Nothing is executed
    /// until they send it again.
    func resume(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await pages.submitting(SavedFormRequest.self, in: request) { form in
            guard let principal = try await viewers.browsers.principal(of: request, notesUse: false) else {
                return try waiting(form.kept, request)
            }
            var context = context
            context.principal = principal
            guard let kept = forms.open(form.kept, for: principal.userID) else {
                let viewed = try await viewers.frame(request, context: context, for: .member)
                return try pages.response(OtherUsersFormPage(kept: form.kept), in: viewed.frame, status: .forbidden)
            }
            if let vote = try await votes.restore(kept, request, context: context) { return vote }
            let viewed = try await viewers.frame(request, context: context, for: .member)
            return try pages.response(SavedFormPage(kept), in: viewed.frame)
        }
    }

    private func waiting(_ kept: String, _ request: Request) throws -> Response {
        let page = LoggedOutPage(kept: kept, logIn: SitePath.login.adding(next: .keptForm))
        return try pages.response(page, in: PageFrame(request), status: .unauthorized)
    }
}

/// Tells a user that their login ended while they wrote; keeps what they wrote.
struct LoggedOutPage: Page {
    static let template = "logged-out"
    static let formTellsOrigin = true

    /// Output of `FormSealer.keep`.
    let kept: String
    /// The login, which leads to `LoggedInAgainPage`.
    let logIn: SitePath
}

/// Shown after the login next to the kept form.
struct LoggedInAgainPage: Page {
    static let template = "logged-in-again"
    static let formTellsOrigin = true
}

/// The user logged in with another account than the one that sent the kept form. The page still keeps the form, so that
/// a login with the wrong account loses nothing.
struct OtherUsersFormPage: Page {
    static let template = "other-users-form"
    static let formTellsOrigin = true

    /// The sealed form, unchanged.
    let kept: String
}

/// A kept form of any page.
struct SavedFormPage: Page {
    static let template = "kept-form"

    /// Receives it.
    let address: SitePath
    /// The written texts, for review.
    let written: [Text]
    let others: [SavedForm.Field]

    /// A text that the user wrote.
    struct Text: Sendable {
        /// Id of the element.
        let id: String
        let name: String
        let value: String
    }

    init(_ form: SavedForm) {
        address = SitePath(sent: form.path)
        written = form.fields.filter(\.isWritten).enumerated().map { number, field in
            Text(id: "written-\(number)", name: field.name, value: field.value)
        }
        others = form.fields.filter { !$0.isWritten }
    }
}
