import Foundation
import HTTPTypes
import Hummingbird
import OpenIDConnect
import Shared

/// A log-in at a provider that is under way, kept by the browser that began it.
struct SignOnAttempt: Codable, Equatable, Sendable {
    /// What the beginning asked for at the end.
    enum Format: String, Codable, CaseIterable, Sendable {
        /// The cookie by which a browser stays logged in, and the page it wanted.
        case browser
        /// A page with a code for the app.
        case page
        /// The tokens.
        case json
    }

    /// `OpenIDProviderSettings.id`: another provider's answer does not belong to it.
    let provider: String
    let request: AuthorizationRequest
    let format: Format
    /// Where a browser goes on, a path of ours; `nil` for an app.
    let next: String?
    /// Of the page that it began on, `nil` if nobody said so.
    let language: String?
    /// The first instant at which it does not count.
    let expires: Date
}

/// The cookie of a `SignOnAttempt`. It cannot be read by scripts and is sent back when the provider sends the browser
/// here (`SameSite=Lax`), but with no other site's form or picture.
struct SignOnCookie: Sendable {
    /// Seconds. Time for a password, a second factor and a forgotten phone.
    static let lifetime: TimeInterval = 600

    private let name: String
    private let attributes: String
    private let sealed: SealedText

    /// - Parameters:
    ///   - publicURL: with `https` the cookie is `__Host-`, which no other host of the domain can set (RFC 6265bis
    ///     §4.1.3.2), and goes over TLS only.
    init(sealed: SealedText, publicURL: String) {
        let isSecure = publicURL.hasPrefix("https:")
        name = isSecure ? "__Host-sign-on" : "sign-on"
        attributes = "Path=/; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
        self.sealed = sealed
    }

    /// `Set-Cookie` that keeps the attempt, in place of an earlier one.
    func keeping(_ attempt: SignOnAttempt) throws -> String {
        let value = try sealed.seal(try JSONEncoder().encode(attempt))
        return "\(name)=\(value); Max-Age=\(Int(Self.lifetime)); \(attributes)"
    }

    /// `Set-Cookie` that ends it.
    var ending: String { "\(name)=; Max-Age=0; \(attributes)" }

    /// The attempt of the browser that asks; `nil` if there is none that we made.
    func attempt(in request: Request) -> SignOnAttempt? {
        let values = request.headers.cookies(named: name)
        guard values.count == 1, let data = values.first.flatMap(sealed.open) else { return nil }
        return try? JSONDecoder().decode(SignOnAttempt.self, from: data)
    }
}
