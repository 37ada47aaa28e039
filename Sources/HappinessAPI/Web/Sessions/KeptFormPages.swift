import HTTPTypes
import Hummingbird
import Shared

/// Brings forms back to those who have logged in again.
struct KeptFormPages: Sendable {
    let pages: PageRenderer
    let viewers: Viewers
    let votes: VotePages
    let forms: KeptForms

    /// Where somebody goes on who has logged in beside the page that keeps their form.
    static let path = "/kept-form"

    /// The page with the form, filled in, for whoever has just logged in. Nothing is carried out before they send it again.
    func show(
        _ form: KeptForm, to principal: Principal, _ request: Request, context: AppRequestContext
    ) async throws -> Response {
        var context = context
        context.principal = principal
        if let vote = try await votes.again(form, request, context: context) { return vote }
        let viewed = try await viewers.frame(request, context: context, for: .member)
        return try pages.response(KeptFormPage(form), in: viewed.frame)
    }
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
