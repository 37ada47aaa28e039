import Domain
import HTTPTypes
import Hummingbird
import Logging
import Services

/// Logs in a browser whose user has been identified.
struct BrowserLogins: Sendable {
    let cookie: BrowserCookie
    let logins: LoginService
    let accounts: AccountService
    let logger: Logger

    /// Logs in a user who has just created an account on this page and typed its password.
    /// - Returns: nil if that fails. The account exists anyway, and the user can log in as usual.
    func begin(for newcomer: User, _ request: Request) async -> Login? {
        do {
            return try await logins.logIn(verified: newcomer, device: request.device, lifetime: .browser)
        } catch {
            logger.warning("A new user could not be logged in", metadata: ["error": "\(JobError(error).message)"])
            return nil
        }
    }

    /// Adds the cookie to a response, and stores the language of the page on which the user logged in.
    ///
    /// The session exists already and can only be used with this cookie, so a failure to store the language must not
    /// prevent the response; the next login stores it again.
    func keep(_ login: Login, on language: PageLanguage, in response: Response) async -> Response {
        var response = response
        response.headers.append(HTTPField(name: .setCookie, value: cookie.keeping(login)))
        do {
            try await accounts.record(language.mailLocale, of: login.user)
        } catch {
            logger.warning("The language of a log-in was not noted", metadata: ["error": "\(JobError(error).message)"])
        }
        return response
    }
}
