/// Where a browser sends our cookies.
struct CookieScope: Sendable {
    private let isSecure: Bool
    private let path: PublicPath

    /// - Parameter publicURL: with `https`, cookies are sent over TLS only.
    init(publicURL: String) {
        isSecure = publicURL.hasPrefix("https:")
        path = PublicPath(publicURL: publicURL)
    }

    /// The cookie's full name. With TLS it begins with `__Host-`, so that no other host of the domain can set it (RFC
    /// 6265bis §4.1.3.2), or below a path, which browsers refuse for such names, with `__Secure-` (§4.1.3.1).
    func name(_ name: String) -> String {
        guard isSecure else { return name }
        return path.text.isEmpty ? "__Host-\(name)" : "__Secure-\(name)"
    }

    /// The attributes that say to whom browsers show it.
    func attributes(hiddenFromScripts isHidden: Bool) -> String {
        // Without a slash at the end, it also matches the path itself (RFC 6265bis §5.1.4).
        let path = path.text.isEmpty ? "/" : path.text
        return "Path=\(path)\(isHidden ? "; HttpOnly" : ""); SameSite=Lax\(isSecure ? "; Secure" : "")"
    }
}
