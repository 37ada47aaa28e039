import Foundation

/// The address of a page or another route on this site. `SitePath+Routes.swift` lists them.
///
/// `description` is the address in a response, with the path of `PUBLIC_URL` before it. Templates show it, since
/// swift-mustache renders a value by its description.
struct SitePath: Hashable, Sendable, CustomStringConvertible {
    /// The path of `PUBLIC_URL` (`PublicPath.text`), which all addresses in a response begin with; empty outside
    /// requests. `PublicPathRouter` binds it for each request, so that no page, notice or link passes it on.
    @TaskLocal static var root: String = ""

    /// The address as the routes know it, with its query and fragment: what follows `ServerSettings.publicURL` in a
    /// mail, and what the API's responses contain.
    let path: String

    var description: String { Self.root + path }

    /// Leads to the user's team, or to the login.
    static let start = SitePath(path: "/")
    /// The guide to the API, which explains every reason of an error.
    static let apiGuide = SitePath(path: "/api")

    /// An address with a query field. The others stay before it; it must not have a fragment yet.
    /// - Parameter value: not encoded. Without one, or with an empty one, the address stays as it is.
    func adding(_ name: String, _ value: String?) -> SitePath {
        // Otherwise a plus sign would be read as a space (`Request.field`).
        adding(name, value) { $0.replacing("+", with: "%2B") }
    }

    /// An address of the login, which continues with another page. A plus sign in that stays, since `Request.query`
    /// reads it.
    func adding(next: SitePath) -> SitePath {
        adding("next", next.path) { $0 }
    }

    private func adding(_ name: String, _ value: String?, _ encode: (String) -> String) -> SitePath {
        guard let value, !value.isEmpty else { return self }
        var parts = URLComponents()
        parts.queryItems = [URLQueryItem(name: name, value: value)]
        guard let field = parts.percentEncodedQuery else { return self }
        return SitePath(path: "\(path)\(path.contains("?") ? "&" : "?")\(encode(field))")
    }

    /// A place on the page.
    /// - Parameter id: of the element.
    func at(_ id: String) -> SitePath { SitePath(path: "\(path)#\(id)") }

    /// The page without the query.
    var page: SitePath { SitePath(path: String(path.prefix { $0 != "?" })) }
}

// MARK: - Addresses that a request contains

extension SitePath {
    /// Where a request wants to continue: a path with a query, never another site.
    ///
    /// It is the start page for anything that could lead to another site: a scheme, `//host`, a backslash (browsers
    /// treat it as a slash), a control character (browsers skip it), or `..`, which leads out of a `PublicPath`.
    init(sent text: String?) {
        self = text.flatMap { Self.isLocal($0) ? SitePath(path: $0) : nil } ?? .start
    }

    private static func isLocal(_ text: String) -> Bool {
        text.hasPrefix("/") && !text.hasPrefix("//") && text.utf8.count <= 2_000
            && text.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\\") }
            && !text.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").contains { isParent($0) }
    }

    /// A double-dot path segment (URL Standard, §4.4).
    private static func isParent(_ segment: Substring) -> Bool {
        segment.lowercased().replacing("%2e", with: ".") == ".."
    }
}
