import Domain
import Hummingbird

/// The last step of creating an account: confirms it and logs the user in.
///
/// The link from their mailbox and the password just typed have identified them; asking again would add no protection.
/// The exception is a browser that does not confirm that our own page sent the form: another site may have sent it,
/// with a link of its own, to make the user work in an attacker's account without noticing.
struct AccountCreatedPage: Sendable {
    let pages: PageRenderer
    let browserLogins: BrowserLogins

    /// The page, with the cookie. Without a login, the page links to the login instead.
    func response(to newcomer: User, _ request: Request, in frame: PageFrame) async throws -> Response {
        let words = pages.words(frame)
        let isOurForm = request.headers[.secFetchSite] == "same-origin"
        let login = isOurForm ? await browserLogins.begin(for: newcomer, request) : nil
        let text = login == nil ? words.text("invitation.doneText") : words.text("invitation.welcome")
        let page = MessagePage(
            title: words.text("invitation.doneTitle"), text: text.replacing("{name}", with: newcomer.name),
            next: login == nil ? .logIn(words) : .start(words))
        let response = try pages.response(page, in: frame)
        guard let login else { return response }
        return await browserLogins.keep(login, on: frame.language, in: response)
    }
}
