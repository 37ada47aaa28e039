import Hummingbird
import Product
import Services

/// Health checks: the process runs, it can serve, and a token is valid.
struct HealthController: Sendable {
    let store: StoreService
    /// `nil` if a test sets the time.
    let clock: ClockCheck?

    /// `GET /health`: the version, if `ready` succeeds.
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await requireReady()
        return try JSONBody.response(HealthResponse(version: ProductVersion.current))
    }

    /// `GET /health/live`: succeeds whenever the process responds.
    func live(_ request: Request, context: AppRequestContext) -> Response {
        Response(status: .ok, headers: [.contentType: "text/plain", .cacheControl: "no-store"], body: Self.ok)
    }

    /// `GET /health/ready`: succeeds if the store takes writes too and the clock agrees with other clocks.
    func ready(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await requireReady()
        return Response(status: .ok, headers: [.contentType: "text/plain", .cacheControl: "no-store"], body: Self.ok)
    }

    /// `GET /api/v1/ping`: 204 for a valid token.
    func ping(_ request: Request, context: AppRequestContext) throws -> Response {
        _ = try context.requirePrincipal()
        return Response(status: .noContent)
    }

    private func requireReady() async throws {
        try await store.ping()
        try await clock?.requireNoDifference()
    }

    private static let ok = ResponseBody(byteBuffer: ByteBuffer(string: "ok\n"))
}

/// The answer of `GET /health`.
struct HealthResponse: Codable {
    /// As in a release: `0.1.0`.
    let version: String
}
