import Foundation
import HTTPTypes
import Hummingbird
import Services

/// The cookie that keeps a browser logged in. Scripts cannot read it. Browsers do not send it with other sites' forms
/// and pictures (`SameSite=Lax`), but do send it when a user follows a link to this server.
struct BrowserCookie: Sendable {
    private let name: String
    /// See `CookieScope.formerName`.
    private let formerName: String?
    private let trialName: String
    private let attributes: String

    /// - Parameter scope: of all our cookies.
    init(scope: CookieScope) {
        name = scope.name("happiness")
        formerName = scope.formerName("happiness")
        trialName = scope.name("cookies")
        attributes = scope.attributes(hiddenFromScripts: true)
    }

    /// `Set-Cookie` that keeps a login until it expires.
    func keeping(_ login: Login) -> String {
        "\(name)=\(login.accessToken); Max-Age=\(login.expiresIn); \(attributes)"
    }

    /// `Set-Cookie` that extends a login.
    func keeping(_ token: BrowserToken) -> String {
        "\(name)=\(token.text); Max-Age=\(token.lifetime); \(attributes)"
    }

    /// Whether a response already sets or deletes the cookie.
    func isSet(in headers: HTTPFields) -> Bool {
        headers[values: .setCookie].contains { $0.hasPrefix("\(name)=") }
    }

    /// `Set-Cookie` that deletes the cookie.
    var ending: String { "\(name)=; Max-Age=0; \(attributes)" }

    /// `Set-Cookie` of a cookie that says nothing: whether the browser sends it back shows whether it keeps cookies. It
    /// ends with the browser's session.
    var trial: String { "\(trialName)=1; \(attributes)" }

    /// `Set-Cookie` that deletes the cookie of version 0.1.0; `nil` if it had the same name.
    var endingFormer: String? { formerName.map { "\($0)=; Max-Age=0; \(attributes)" } }

    /// The browser's token; `nil` if it sends none, or two: the second one is not ours. Without a cookie of this version
    /// it is `formerToken`.
    func token(in headers: HTTPFields) -> String? {
        let values = headers.cookies(named: name)
        return values.isEmpty ? formerToken(in: headers) : Self.only(values)
    }

    /// The token in the cookie of version 0.1.0, which may be another installation's on the same host.
    func formerToken(in headers: HTTPFields) -> String? {
        formerName.flatMap { Self.only(headers.cookies(named: $0)) }
    }

    /// Whether `token` is `formerToken`, so that it has to move to the cookie of this version.
    func isFormer(in headers: HTTPFields) -> Bool {
        headers.cookies(named: name).isEmpty && formerToken(in: headers) != nil
    }

    private static func only(_ values: [String]) -> String? {
        guard values.count == 1, let value = values.first, !value.isEmpty else { return nil }
        return value
    }
}
