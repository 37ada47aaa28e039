import Domain
import Hummingbird
import Services

/// Requires a role of a caller who is logged in, before anything of the request but its path is looked at.
struct RoleMiddleware: RouterMiddleware {
    /// Who may use a route.
    enum Role: Sendable {
        case administrator
        /// A lead of the team in the path, or an administrator.
        case manager
        /// A lead of any team, or an administrator.
        case inviter
    }

    let role: Role
    let check: RoleCheck

    func handle(
        _ request: Request, context: AppRequestContext, next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        let caller = try context.requirePrincipal().caller
        switch role {
        case .administrator: try await check.requireAdmin(caller)
        case .manager: try await check.requireManager(caller, of: try context.teamID())
        case .inviter: try await check.requireInviter(caller)
        }
        return try await next(request, context)
    }
}
