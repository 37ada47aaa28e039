import Hummingbird
import Services

/// A team's members and their roles.
struct TeamMemberController: Sendable {
    let teams: TeamService
    let links: PictureLinks

    private struct ListResponse: Encodable {
        let members: [TeamMemberResponse]
    }

    /// `GET /api/v1/teams/{team}/members`
    func list(_ request: Request, context: AppRequestContext) async throws -> Response {
        let people = try await teams.people(of: try context.teamID(), by: try context.requirePrincipal().caller)
        return try JSONBody.response(ListResponse(members: people.map { TeamMemberResponse($0, links: links) }))
    }

    private struct RoleRequest: Decodable {
        let role: Membership.Role
    }

    /// `PATCH /api/v1/teams/{team}/members/{user}`
    func change(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal().caller
        let teamID = try context.teamID()
        let body = try await request.json(as: RoleRequest.self)
        let member = try await teams.setRole(body.role, of: context.memberID, in: teamID, by: caller)
        return try JSONBody.response(TeamMemberResponse(member, links: links))
    }

    /// `DELETE /api/v1/teams/{team}/members/{user}`
    func remove(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await teams.removeMember(
            context.memberID, from: try context.teamID(), by: try context.requirePrincipal().caller)
        return Response(status: .noContent)
    }
}

extension AppRequestContext {
    /// The user id in the path. A malformed id becomes an unknown one.
    fileprivate var memberID: User.ID {
        parameters.get("user").flatMap { User.ID($0) } ?? .random()
    }
}

/// A member as the others in the team see them.
private struct TeamMemberResponse: Encodable {
    let id: String
    let name: String
    /// Missing if others see `name`.
    let displayName: String?
    let role: Membership.Role
    let picture: PictureResponse

    init(_ member: TeamMember, links: PictureLinks) {
        id = member.user.id.description
        name = member.user.name
        displayName = member.user.displayName
        role = member.role
        picture = PictureResponse(of: member.user, links: links)
    }
}
