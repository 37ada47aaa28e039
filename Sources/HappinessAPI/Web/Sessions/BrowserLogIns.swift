import HTTPTypes
import Hummingbird
import Shared

/// Logs a browser in that has proved who it is, in whatever way.
struct BrowserLogIns: Sendable {
    let cookie: BrowserCookie
    let accounts: AccountService

    /// Puts the cookie into an answer, and notes the language of the page that somebody logged in on.
    func keep(_ logIn: LogIn, on language: PageLanguage, in response: Response) async throws -> Response {
        try await accounts.note(language.mailLocale, of: logIn.user)
        var response = response
        response.headers.append(HTTPField(name: .setCookie, value: cookie.keeping(logIn)))
        return response
    }
}
