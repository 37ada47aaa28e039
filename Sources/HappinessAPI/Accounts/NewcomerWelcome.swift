import Hummingbird
import Shared

/// The end of every way to an account: it is ready, and whoever just made it is logged in.
///
/// They have proved who they are by the link from their mailbox and a password typed a moment ago; asking for both again
/// would protect nothing. Unless the browser does not say that the form came from our own page: then another site may have
/// sent it, with a link of its own, to have somebody work in an account of a stranger's without noticing.
struct NewcomerWelcome: Sendable {
    let pages: PageRenderer
    let browserLogIns: BrowserLogIns

    /// The page, and the cookie. Without a log-in the page leads to it instead.
    func response(to newcomer: User, _ request: Request, in frame: PageFrame) async throws -> Response {
        let words = pages.words(frame)
        let isOurForm = request.headers[.secFetchSite] == "same-origin"
        let logIn = isOurForm ? await browserLogIns.begin(for: newcomer, request) : nil
        let text = logIn == nil ? words.text("invitation.doneText") : words.text("invitation.welcome")
        let page = MessagePage(
            title: words.text("invitation.doneTitle"), text: text.replacing("{name}", with: newcomer.name),
            next: logIn == nil ? .logIn(words) : .start(words))
        let response = try pages.response(page, in: frame)
        guard let logIn else { return response }
        return await browserLogIns.keep(logIn, on: frame.language, in: response)
    }
}
