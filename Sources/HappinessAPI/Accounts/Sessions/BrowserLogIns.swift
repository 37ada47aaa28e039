import HTTPTypes
import Hummingbird
import Logging
import Shared

/// Logs a browser in that has proved who it is, in whatever way.
struct BrowserLogIns: Sendable {
    let cookie: BrowserCookie
    let logIns: LogInService
    let accounts: AccountService
    let logger: Logger

    /// Logs somebody in whose account was made on this page a moment ago, with a password that was typed here.
    /// - Returns: nil if that fails. The account is there all the same, and they log in as everybody does.
    func begin(for newcomer: User, _ request: Request) async -> LogIn? {
        do {
            return try await logIns.logIn(verified: newcomer, device: request.device, lifetime: .browser)
        } catch {
            logger.warning(
                "Somebody new was not logged in", metadata: ["error": "\(JobError(error).message)"])
            return nil
        }
    }

    /// Puts the cookie into an answer, and notes the language of the page that somebody logged in on.
    ///
    /// The session is there by now and the cookie is all that leads to it, so nothing keeps it back: not a language that could
    /// not be noted, which the next log-in brings again.
    func keep(_ logIn: LogIn, on language: PageLanguage, in response: Response) async -> Response {
        var response = response
        response.headers.append(HTTPField(name: .setCookie, value: cookie.keeping(logIn)))
        do {
            try await accounts.note(language.mailLocale, of: logIn.user)
        } catch {
            logger.warning(
                "The language of a log-in was not noted", metadata: ["error": "\(JobError(error).message)"])
        }
        return response
    }
}
