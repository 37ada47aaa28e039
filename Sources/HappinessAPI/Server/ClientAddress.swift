import Foundation
import HTTPTypes
import Hummingbird

/// Determines the address a request comes from, to count failed logins.
struct ClientAddress: Sendable {
    /// Number of our reverse proxies in front of this server. Each appends to `X-Forwarded-For`.
    let trustedProxies: Int

    /// The address that the outermost trusted proxy saw, or that of the connection. Entries further left are set by the
    /// client and are ignored.
    func of(_ request: Request, context: AppRequestContext) -> String {
        let peer = context.peerAddress ?? "unknown"
        guard trustedProxies > 0 else { return peer }
        let forwarded = request.headers[values: .xForwardedFor].flatMap { $0.split(separator: ",") }
        guard forwarded.count >= trustedProxies else { return peer }
        return forwarded[forwarded.count - trustedProxies].trimmingCharacters(in: .whitespaces)
    }
}

extension HTTPField.Name {
    static let xForwardedFor = HTTPField.Name.constant("X-Forwarded-For")
}

extension Request {
    /// The client's user agent, for the list of sessions.
    var device: String { headers[.userAgent] ?? "unknown device" }
}
