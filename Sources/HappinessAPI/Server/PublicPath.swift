import Foundation
import HTTPTypes
import Hummingbird

/// The path of `PUBLIC_URL`, below which people reach the installation: `/mood` of `https://intranet.example.org/mood`.
/// Most installations have a host of their own, and an empty one.
///
/// Routes and pages are written without it: it is taken off the addresses of requests, and put before the addresses in
/// responses. Scripts find it in `<html data-root>`.
struct PublicPath: Sendable {
    /// Begins with a slash and ends with none; or empty.
    let text: String

    /// - Parameter publicURL: `ServerSettings.publicURL`
    init(publicURL: String) {
        text = URLComponents(string: publicURL)?.path ?? ""
    }

    /// The empty path.
    static let none = PublicPath(publicURL: "")

    /// The request as the routes expect it. Other addresses stay as they are, so that checks on the same machine find
    /// `/health`.
    func removed(from request: Request) -> Request {
        guard let address = request.head.path, isPrefix(of: address) else { return request }
        var head = request.head
        let rest = address.dropFirst(text.utf8.count)
        head.path = rest.hasPrefix("/") ? String(rest) : "/\(rest)"
        return Request(head: head, body: request.body)
    }

    /// An address of this server as people outside reach it. Addresses of other servers stay as they are.
    func added(to address: String) -> String {
        guard address.hasPrefix("/"), !address.hasPrefix("//") else { return address }
        return text + address
    }

    /// HTML with the path in all addresses of this server. Text of users has no `="/`, because quotation marks in it
    /// are escaped, and only attributes that hold addresses are changed.
    func added(toHTML html: String) -> String {
        guard !text.isEmpty else { return html }
        var result = ""
        var rest = html.utf8[...]
        while let found = rest.firstRange(of: "=\"/".utf8) {
            let before = rest[..<found.lowerBound]
            let space = before.lastIndex { $0 <= UInt8(ascii: " ") }
            let name = space.map { before[before.index(after: $0)...] } ?? before
            result += Substring(before) + "=\""
            if Self.attributes.contains(String(Substring(name))) { result += text }
            result += "/"
            rest = rest[found.upperBound...]
        }
        return result + Substring(rest)
    }

    /// Attributes of our pages that hold addresses.
    private static let attributes: Set<String> = [
        "action", "formaction", "href", "src", "data-back", "data-board", "data-live",
    ]

    private func isPrefix(of address: String) -> Bool {
        guard !text.isEmpty, address.hasPrefix(text) else { return false }
        let next = address.utf8.dropFirst(text.utf8.count).first
        return next == nil || next == UInt8(ascii: "/") || next == UInt8(ascii: "?")
    }
}

/// The routes below a public path.
struct PublicPathRouter: HTTPResponderBuilder {
    let routes: Router<AppRequestContext>
    let path: PublicPath

    // Not `some HTTPResponder`: optimising it crashes the compiler of Swift 6.3.1.
    func buildResponder() -> CallbackResponder<AppRequestContext> {
        let (routes, path) = (routes.buildResponder(), path)
        return CallbackResponder { request, context in
            guard !path.text.isEmpty else { return try await routes.respond(to: request, context: context) }
            var response = try await routes.respond(to: path.removed(from: request), context: context)
            response.headers[.location] = response.headers[.location].map { path.added(to: $0) }
            return response
        }
    }
}
