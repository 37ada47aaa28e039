import Hummingbird
import Shared

/// Whether the process runs, whether it can serve, and whether a token counts.
struct HealthController: Sendable {
    let system: any SystemStore
    /// `nil` where time is what a test says.
    let clock: ClockCheck?

    /// `GET /health/live`: the process answers.
    func live(_ request: Request, context: AppRequestContext) -> Response {
        Response(status: .ok, headers: [.contentType: "text/plain", .cacheControl: "no-store"], body: Self.ok)
    }

    /// `GET /health/ready`: the store answers too, and the clock agrees with the others.
    func ready(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await system.ping()
        try await clock?.requireNoDifference()
        return Response(status: .ok, headers: [.contentType: "text/plain", .cacheControl: "no-store"], body: Self.ok)
    }

    /// `GET /api/v1/ping`: 204 for a token that counts.
    func ping(_ request: Request, context: AppRequestContext) throws -> Response {
        _ = try context.requirePrincipal()
        return Response(status: .noContent)
    }

    private static let ok = ResponseBody(byteBuffer: ByteBuffer(string: "ok\n"))
}
