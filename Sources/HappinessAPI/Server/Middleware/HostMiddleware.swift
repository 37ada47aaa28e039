import Domain
import HTTPTypes
import Hummingbird

/// Rejects a request without `Host`, with several, or with one that is no host (RFC 9112 §3.2): proxies and servers that
/// read different ones disagree about the server that is meant. `HostHandler` prepares what is looked at here.
struct HostMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: AppRequestContext, next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        // The server framework takes the first one out of the fields.
        guard let host = request.head.authority, Self.isValid(host), !request.headers.contains(.furtherHost) else {
            throw AppError(.malformed, "A request needs exactly one Host.")
        }
        return try await next(request, context)
    }

    /// Whether all characters may occur in a host with a port (RFC 3986 §3.2.2, §3.2.3). An empty one is allowed.
    private static func isValid(_ host: String) -> Bool {
        host.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default:
                marks.contains(byte)
            }
        }
    }

    /// Without the comma, with which some proxies join several fields.
    private static let marks = Set("-._~!$&'()*+;=%:[]".utf8)
}

extension HTTPField.Name {
    /// `Host`. The library's own constant is unavailable, because the first field becomes `HTTPRequest.authority`.
    fileprivate static let furtherHost = HTTPField.Name.constant("Host")
}
