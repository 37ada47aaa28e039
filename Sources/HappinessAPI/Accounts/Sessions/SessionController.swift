import Hummingbird
import Shared

/// The sessions of the one who asks: where they are logged in.
struct SessionController: Sendable {
    let logIns: LogInService

    private struct SessionResponse: Encodable {
        let id: String
        /// What it called itself at log-in.
        let device: String
        /// A day; no finer time is kept.
        let lastUsed: String
        /// Whether it is the one that asks.
        let current: Bool
    }

    /// `GET /api/v1/me/sessions`: last used first.
    func list(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal()
        let sessions = try await logIns.sessions(of: caller)
        return try JSONBody.response([
            "sessions": sessions.map { session in
                SessionResponse(
                    id: session.id.description, device: session.device, lastUsed: session.lastUsed.description,
                    current: session.id == caller.sessionID)
            }
        ])
    }

    /// `DELETE /api/v1/me/sessions/{session}`: the present one too.
    func end(_ request: Request, context: AppRequestContext) async throws -> Response {
        // An id that cannot exist is a session that is not there.
        let id = context.parameters.get("session").flatMap { Session.ID($0) } ?? .random()
        try await logIns.endSession(id, by: try context.requirePrincipal())
        return Response(status: .noContent)
    }

    /// `DELETE /api/v1/me/sessions`: all but the present one.
    func endOthers(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await logIns.endAll(try context.requirePrincipal(), keepingPresent: true)
        return Response(status: .noContent)
    }
}
