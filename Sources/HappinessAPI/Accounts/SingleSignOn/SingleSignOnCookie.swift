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

/// The cookies with the `SingleSignOnAttempt`s of a browser, one for each: in two tabs, two log-ins may be in progress.
/// Scripts cannot read them. The browser sends them when the provider redirects back (`SameSite=Lax`), but not with other
/// sites' forms or pictures.
struct SingleSignOnCookie: Sendable {
    /// Seconds. Enough for a password, a second factor and fetching a forgotten phone.
    static let lifetime: TimeInterval = 600
    /// Attempts of one browser at once; an older one is given up. A page that opens many windows here must not make the
    /// browser's requests too long.
    static let maximumCount = 5
    /// Bytes of all of them, half of what the server reads in a header: the page to continue with may be a long one.
    private static let maximumBytes = 8 * 1024
    /// Characters of an attempt's state in its cookie's name. The rest of the state stays secret.
    private static let keyLength = 16

    private let prefix: String
    private let attributes: String
    private let sealed: SealedText

    /// - Parameter scope: of all our cookies.
    init(sealed: SealedText, scope: CookieScope) {
        prefix = "\(scope.name("sign-on"))."
        attributes = scope.attributes(hiddenFromScripts: true)
        self.sealed = sealed
    }

    /// Values of `Set-Cookie`: the first stores the attempt, the others delete the oldest ones beyond `maximumCount` or
    /// `maximumBytes`.
    func keeping(_ attempt: SingleSignOnAttempt, in request: Request) throws -> [String] {
        let value = try sealed.seal(try JSONEncoder().encode(attempt))
        let key = attempt.request.state.prefix(Self.keyLength)
        let stored = "\(prefix)\(key)=\(value); Max-Age=\(Int(Self.lifetime)); \(attributes)"
        let others = cookies(of: request)
            .map { (cookie: $0, expires: opened($0.value)?.expires ?? .distantPast) }
            .sorted { $0.expires > $1.expires }
            .map { $0.cookie }
        var result = [stored]
        var bytes = stored.utf8.count
        for (place, other) in others.enumerated() {
            bytes += other.name.utf8.count + other.value.utf8.count
            if place >= Self.maximumCount - 1 || bytes > Self.maximumBytes { result.append(deleting(other.name)) }
        }
        return result
    }

    /// `Set-Cookie` that deletes the cookie of the attempt that a request belongs to; `nil` if there is none.
    func ending(for request: Request) -> String? {
        cookie(of: request).map { deleting($0.name) }
    }

    /// The attempt that a request belongs to; `nil` unless this server sealed it for this browser.
    func attempt(in request: Request) -> SingleSignOnAttempt? {
        cookie(of: request).flatMap { opened($0.value) }
    }

    /// By the request's state. A request without one belongs to the only attempt.
    private func cookie(of request: Request) -> (name: String, value: String)? {
        let all = cookies(of: request)
        let own = request.query("state").map { state in
            all.filter { $0.name == "\(prefix)\(state.prefix(Self.keyLength))" }
        }
        let found = own ?? all
        return found.count == 1 ? found.first : nil
    }

    /// Only names that this server may have given.
    private func cookies(of request: Request) -> [(name: String, value: String)] {
        request.headers.cookies(startingWith: prefix).filter { cookie in
            let key = cookie.name.dropFirst(prefix.count)
            return key.wholeMatch(of: /[A-Za-z0-9_-]+/) != nil && key.count == Self.keyLength
        }
    }

    private func deleting(_ name: String) -> String { "\(name)=; Max-Age=0; \(attributes)" }

    private func opened(_ value: String) -> SingleSignOnAttempt? {
        guard let data = sealed.open(value) else { return nil }
        return try? JSONDecoder().decode(SingleSignOnAttempt.self, from: data)
    }
}
