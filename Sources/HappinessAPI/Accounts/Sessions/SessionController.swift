import Domain
import Hummingbird
import Services

/// The caller's sessions: where they are logged in.
struct SessionController: Sendable {
    let logins: LoginService

    private struct SessionResponse: Encodable {
        let id: String
        /// The name the device gave at login.
        let device: String
        /// A day; the exact time is not stored.
        let lastUsed: String
        /// Whether this is the session of the request.
        let current: Bool
    }

    /// `GET /api/v1/me/sessions`: most recently used first.
    func list(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal()
        let sessions = try await logins.sessions(of: caller)
        return try JSONBody.response([
            "sessions": sessions.map { session in
                SessionResponse(
                    id: session.id.description, device: session.device, lastUsed: session.lastUsed.description,
                    current: session.id == caller.sessionID)
            }
        ])
    }

    /// `DELETE /api/v1/me/sessions/{session}`: may also end the current session.
    func end(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await logins.endSession(context.pathID("session"), by: try context.requirePrincipal())
        return Response(status: .noContent)
    }

    /// `DELETE /api/v1/me/sessions`: ends all but the current one.
    func endOthers(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await logins.endAll(try context.requirePrincipal(), keepingPresent: true)
        return Response(status: .noContent)
    }
}
