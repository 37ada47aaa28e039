import HTTPTypes
import Hummingbird
import Shared

/// Keeps forms that came when their senders' log-ins had ended, and brings them back. A form waits in a page in front of
/// its sender, who logs in beside it like anybody else: the log-in itself knows nothing of it, so that no count and no
/// line about log-ins tells that a vote came back.
struct KeptFormPages: Sendable {
    let pages: PageRenderer
    let viewers: Viewers
    let votes: VotePages
    let forms: KeptForms

    /// Where somebody goes on who has logged in beside the page that keeps their form.
    static let path = "/kept-form"

    /// The page in which the form of a request waits; `nil` for one that is better filled in again (`KeptForms.keep`).
    func keep(_ request: Request) async throws -> Response? {
        try await forms.keep(request).map { try waiting($0, request) }
    }

    /// `GET /kept-form`: where the log-in beside the waiting page leads. With scripts the form is in this window and comes
    /// back from here; without, the page says where it is.
    func loggedInAgain(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await pages.answering(PageFrame(request)) {
            let viewed = try await viewers.frame(request, context: context, for: .member)
            return try pages.response(LoggedInAgainPage(), in: viewed.frame)
        }
    }

    private struct KeptFormRequest: Decodable {
        let kept: String
    }

    /// `POST /kept-form`: the form, filled in, for its sender, who has logged in meanwhile. Nothing is carried out before
    /// they send it again.
    func goOn(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await pages.answeringForm(KeptFormRequest.self, in: request) { form in
            guard let principal = try await viewers.browsers.principal(of: request, notesUse: false) else {
                return try waiting(form.kept, request)
            }
            var context = context
            context.principal = principal
            guard let kept = forms.open(form.kept, for: principal.userID) else {
                let viewed = try await viewers.frame(request, context: context, for: .member)
                return try pages.response(SomebodyElsesFormPage(kept: form.kept), in: viewed.frame, status: .forbidden)
            }
            if let vote = try await votes.again(kept, request, context: context) { return vote }
            let viewed = try await viewers.frame(request, context: context, for: .member)
            return try pages.response(KeptFormPage(kept), in: viewed.frame)
        }
    }

    private func waiting(_ kept: String, _ request: Request) throws -> Response {
        let page = LoggedOutPage(kept: kept, logIn: LogInPages.address(to: LocalPath(Self.path)))
        return try pages.response(page, in: PageFrame(request), status: .unauthorized)
    }
}

/// Somebody was logged out while they wrote; what they wrote waits here.
struct LoggedOutPage: Page {
    static let template = "logged-out"
    static let formTellsOrigin = true

    /// `KeptForms.keep`.
    let kept: String
    /// The log-in, from where one comes to `LoggedInAgainPage`.
    let logIn: String
}

/// Somebody has logged in beside the page in which their form waits.
struct LoggedInAgainPage: Page {
    static let template = "logged-in-again"
    static let formTellsOrigin = true
}

/// Somebody is logged in with another account than the one whose form waits here. It goes on waiting, so that a log-in with
/// the wrong account loses nothing.
struct SomebodyElsesFormPage: Page {
    static let template = "somebody-elses-form"
    static let formTellsOrigin = true

    /// As it came.
    let kept: String
}

/// A form of any page, as it was sent.
struct KeptFormPage: Page {
    static let template = "kept-form"

    /// Where it goes.
    let address: String
    /// What somebody wrote, to be looked over.
    let written: [Text]
    /// What goes with it.
    let others: [KeptForm.Field]

    /// Something that was written.
    struct Text: Sendable {
        /// Of the element.
        let id: String
        let name: String
        let value: String
    }

    init(_ form: KeptForm) {
        address = form.path
        written = form.fields.filter(\.isWritten).enumerated().map { number, field in
            Text(id: "written-\(number)", name: field.name, value: field.value)
        }
        others = form.fields.filter { !$0.isWritten }
    }
}
