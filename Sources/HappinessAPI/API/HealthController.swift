import Hummingbird
import Shared

/// Whether the process runs, whether it can serve, and whether a token counts.
struct HealthController: Sendable {
    let system: any SystemStore

    /// `GET /health/live`: the process answers.
    func live(_ request: Request, context: AppRequestContext) -> Response {
        Response(status: .ok, headers: [.contentType: "text/plain", .cacheControl: "no-store"], body: Self.ok)
    }

    /// `GET /health/ready`: the store answers too.
    func ready(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await system.ping()
        return Response(status: .ok, headers: [.contentType: "text/plain", .cacheControl: "no-store"], body: Self.ok)
    }

    /// `GET /api/v1/ping`: 204 for a token that counts.
    func ping(_ request: Request, context: AppRequestContext) throws -> Response {
        _ = try context.requirePrincipal()
        return Response(status: .noContent)
    }

    private static let ok = ResponseBody(byteBuffer: ByteBuffer(string: "ok\n"))
}
