import Foundation
import HTTPTypes
import Hummingbird
import Shared

/// Finds out where a request comes from, for counting failed log-ins.
struct ClientAddress: Sendable {
    /// Reverse proxies of ours in front of this server, each of which appends to `X-Forwarded-For`.
    let trustedProxies: Int

    /// The address the outermost trusted proxy saw, or the connection's. Entries further left are the client's own
    /// words and are not believed.
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
    /// What the client calls itself, for the list of sessions.
    var device: String { headers[.userAgent] ?? "unknown device" }
}
