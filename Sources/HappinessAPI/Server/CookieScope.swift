import Foundation

/// Where a browser sends our cookies, and under which names.
struct CookieScope: Sendable {
    private let isSecure: Bool
    /// `nil` for the one that browsers use by themselves.
    private let port: Int?
    private let path: PublicPath

    /// - Parameter publicURL: with `https`, cookies are sent over TLS only.
    init(publicURL: String) {
        isSecure = publicURL.hasPrefix("https:")
        let port = URLComponents(string: publicURL)?.port
        self.port = port == (isSecure ? 443 : 80) ? nil : port
        path = PublicPath(publicURL: publicURL)
    }

    /// The cookie's full name, such as `__Host-happiness`, `happiness-8080` or `__Secure-happiness+mood`.
    ///
    /// With TLS it begins with `__Host-`, so that no other host of the domain can set it (RFC 6265bis §4.1.3.2), or
    /// below a path, which browsers reject for such names, with `__Secure-` (§4.1.3.1). It ends with port and path:
    /// browsers send a cookie to every port of its host (RFC 6265 §8.5) and to all paths below its own, so that
    /// installations on one host would otherwise replace each other's.
    func name(_ name: String) -> String {
        prefixed(name) + (port.map { "-\($0)" } ?? "") + path.text.replacing("/", with: "+")
    }

    /// The cookie's name in version 0.1.0, which knew no paths and left out the port; `nil` if it has not changed.
    func formerName(_ name: String) -> String? {
        port != nil && path.text.isEmpty ? prefixed(name) : nil
    }

    /// The attributes that say to whom browsers show it.
    func attributes(hiddenFromScripts isHidden: Bool) -> String {
        // Without a slash at the end, it also matches the path itself (RFC 6265bis §5.1.4).
        let path = path.text.isEmpty ? "/" : path.text
        return "Path=\(path)\(isHidden ? "; HttpOnly" : ""); SameSite=Lax\(isSecure ? "; Secure" : "")"
    }

    private func prefixed(_ name: String) -> String {
        guard isSecure else { return name }
        return path.text.isEmpty ? "__Host-\(name)" : "__Secure-\(name)"
    }
}
