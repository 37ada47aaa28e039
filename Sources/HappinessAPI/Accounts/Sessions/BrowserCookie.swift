import Foundation
import HTTPTypes
import Hummingbird
import Shared

/// The cookie by which a browser stays logged in. No script can read it; other sites' forms and pictures do not send it
/// (`SameSite=Lax`), a link that leads here does.
struct BrowserCookie: Sendable {
    private let name: String
    private let attributes: String

    /// - Parameter publicURL: with `https` the cookie is `__Host-`, which no other host of the domain can set (RFC 6265bis
    ///   §4.1.3.2), and goes over TLS only.
    init(publicURL: String) {
        let isSecure = publicURL.hasPrefix("https:")
        name = isSecure ? "__Host-happiness" : "happiness"
        attributes = "Path=/; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
    }

    /// `Set-Cookie` that keeps a log-in for as long as it counts.
    func keeping(_ logIn: LogIn) -> String {
        "\(name)=\(logIn.accessToken); Max-Age=\(logIn.expiresIn); \(attributes)"
    }

    /// `Set-Cookie` that keeps it for longer.
    func keeping(_ token: BrowserToken) -> String {
        "\(name)=\(token.text); Max-Age=\(token.lifetime); \(attributes)"
    }

    /// Whether an answer keeps or ends a log-in already.
    func isSet(in headers: HTTPFields) -> Bool {
        headers[values: .setCookie].contains { $0.hasPrefix("\(name)=") }
    }

    /// `Set-Cookie` that ends it.
    var ending: String { "\(name)=; Max-Age=0; \(attributes)" }

    /// The token of the browser that asks; `nil` if it has none, or two: then somebody has put one beside ours.
    func token(in headers: HTTPFields) -> String? {
        let values = headers.cookies(named: name)
        guard values.count == 1, let value = values.first, !value.isEmpty else { return nil }
        return value
    }
}
