import Domain
import Hummingbird
import Services

/// The caller's teams and their share links.
struct TeamController: Sendable {
    let teams: TeamService
    let publicURL: String

    /// `GET /api/v1/teams`
    func list(_ request: Request, context: AppRequestContext) async throws -> Response {
        let member = try context.requirePrincipal()
        let teams = try await self.teams.list(of: member)
        return try JSONBody.response(["teams": teams.map { TeamResponse($0.team, role: $0.role) }])
    }

    /// `GET /api/v1/teams/{team}`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        let (team, role) = try await teams.find(try context.teamID(), by: try context.requirePrincipal())
        return try JSONBody.response(TeamResponse(team, role: role))
    }

    /// `PATCH /api/v1/teams/{team}`: changes only the fields in the body.
    func change(_ request: Request, context: AppRequestContext) async throws -> Response {
        let manager = try context.requirePrincipal()
        let teamID = try context.teamID()
        let body = try await request.json(as: TeamChangeRequest.self)
        let team = try await teams.change(teamID, name: body.name, settings: body.settings, by: manager.caller)
        let role = try await teams.role(of: manager, in: teamID)
        return try JSONBody.response(TeamResponse(team, role: role))
    }

    private struct ShareResponse: Encodable {
        /// URL of the chart for anyone who has the link; returned only once, since only a hash of it is stored.
        let chart: String
        /// URL of the page for a screen.
        let page: String
    }

    /// `PUT /api/v1/teams/{team}/share-link`: creates a link and revokes the previous one.
    func share(_ request: Request, context: AppRequestContext) async throws -> Response {
        let token = try await teams.share(try context.teamID(), by: try context.requirePrincipal())
        return try JSONBody.response(
            ShareResponse(
                chart: publicURL + SitePath.sharedChart(token).path, page: publicURL + SitePath.wallboard(token).path))
    }

    /// `DELETE /api/v1/teams/{team}/share-link`
    func unshare(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await teams.unshare(try context.teamID(), by: try context.requirePrincipal())
        return Response(status: .noContent)
    }
}
