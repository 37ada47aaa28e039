import Foundation
import HTTPTypes
import Hummingbird

/// The path of `PUBLIC_URL`, below which people reach the installation: `/mood` of `https://intranet.example.org/mood`.
/// Most installations have a host of their own, and an empty one.
///
/// Routes are written without it: it is taken off the addresses of requests. `SitePath` puts it before the addresses in
/// responses, and templates get it when they are read. Scripts find it in `<html data-root>`.
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

    /// One of our templates with the path in the addresses that are written out in it. A value that it shows has the
    /// path itself (`SitePath`).
    func added(toTemplate template: String) -> String {
        guard !text.isEmpty else { return template }
        return ["action", "formaction", "href", "src"].reduce(template) { result, name in
            result.replacingOccurrences(of: " \(name)=\"/", with: " \(name)=\"\(text)/")
        }
    }

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
            return try await SitePath.$root.withValue(path.text) {
                try await routes.respond(to: path.removed(from: request), context: context)
            }
        }
    }
}
