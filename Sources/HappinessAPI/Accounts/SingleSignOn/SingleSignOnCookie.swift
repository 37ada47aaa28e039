import Domain
import Foundation
import HTTPTypes
import Hummingbird
import OpenIDConnect

/// A login at a provider in progress, stored in the browser that began it.
struct SingleSignOnAttempt: Codable, Equatable, Sendable {
    /// How the login ends.
    enum Format: String, Codable, CaseIterable, Sendable {
        /// Sets the browser's cookie and redirects to the requested page.
        case browser
        /// Shows a page with a code for the app.
        case page
        /// Returns the tokens.
        case json
    }

    /// `OpenIDProviderSettings.id`; the response must come from the same provider.
    let provider: String
    let request: AuthorizationRequest
    let format: Format
    /// Where the browser continues, a path on this server; `nil` for an app.
    let next: String?
    /// Language of the page on which it began; `nil` if unknown.
    let language: String?
    /// The first instant at which it is no longer valid.
    let expires: Date
}

/// The cookie with a `SingleSignOnAttempt`. Scripts cannot read it. The browser sends it when the provider redirects back
/// (`SameSite=Lax`), but not with other sites' forms or pictures.
struct SingleSignOnCookie: Sendable {
    /// Seconds. Enough for a password, a second factor and fetching a forgotten phone.
    static let lifetime: TimeInterval = 600

    private let name: String
    private let attributes: String
    private let sealed: SealedText

    /// - Parameter scope: of all our cookies.
    init(sealed: SealedText, scope: CookieScope) {
        name = scope.name("sign-on")
        attributes = scope.attributes(hiddenFromScripts: true)
        self.sealed = sealed
    }

    /// `Set-Cookie` that stores the attempt and replaces an earlier one.
    func keeping(_ attempt: SingleSignOnAttempt) throws -> String {
        let value = try sealed.seal(try JSONEncoder().encode(attempt))
        return "\(name)=\(value); Max-Age=\(Int(Self.lifetime)); \(attributes)"
    }

    /// `Set-Cookie` that deletes the cookie.
    var ending: String { "\(name)=; Max-Age=0; \(attributes)" }

    /// The browser's attempt; `nil` unless this server sealed it.
    func attempt(in request: Request) -> SingleSignOnAttempt? {
        let values = request.headers.cookies(named: name)
        guard values.count == 1, let data = values.first.flatMap(sealed.open) else { return nil }
        return try? JSONDecoder().decode(SingleSignOnAttempt.self, from: data)
    }
}
