import Domain
import Hummingbird
import Services

/// A team's members and their roles.
struct TeamMemberController: Sendable {
    let teams: TeamService
    let links: PictureLinks

    private struct PageResponse: Encodable {
        let members: [TeamMemberResponse]
        @ExplicitNull var nextAfter: String?
    }

    /// `GET /api/v1/teams/{team}/members?limit=&after=`: all members, or a page if the client asks for one.
    func list(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal().caller
        let teamID = try context.teamID()
        guard request.query("limit") != nil || request.query("after") != nil else {
            let people = try await teams.people(of: teamID, by: caller)
            let seesFaults = try await teams.seesAddressFaults(in: teamID, caller)
            return try JSONBody.response(
                ["members": people.map { TeamMemberResponse($0, seesFaults: seesFaults, links: links) }])
        }
        let limit = try request.limit(standard: TeamService.memberPageSize, maximum: TeamService.maximumMemberPageSize)
        let after = try request.query("after", otherwise: "after must be the nextAfter of an earlier response.") {
            User.ID($0)
        }
        let page = try await teams.people(of: teamID, after: after, limit: limit, by: caller)
        let seesFaults = try await teams.seesAddressFaults(in: teamID, caller)
        return try JSONBody.response(
            PageResponse(
                members: page.people.map { TeamMemberResponse($0, seesFaults: seesFaults, links: links) },
                nextAfter: page.nextAfter?.description))
    }

    private struct RoleRequest: Decodable {
        let role: Membership.Role
    }

    /// `PATCH /api/v1/teams/{team}/members/{user}`
    func change(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal().caller
        let teamID = try context.teamID()
        let body = try await request.json(as: RoleRequest.self)
        let member = try await teams.setRole(body.role, of: context.userID, in: teamID, by: caller)
        return try JSONBody.response(TeamMemberResponse(member, seesFaults: true, links: links))
    }

    /// `DELETE /api/v1/teams/{team}/members/{user}/address-fault`
    func liftAddressFault(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await teams.liftAddressFault(
            of: context.userID, in: try context.teamID(), by: try context.requirePrincipal().caller)
        return Response(status: .noContent)
    }

    /// `DELETE /api/v1/teams/{team}/members/{user}`
    func remove(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await teams.removeMember(
            context.userID, from: try context.teamID(), by: try context.requirePrincipal().caller)
        return Response(status: .noContent)
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
    /// Whether mails to their address do not arrive; missing for callers who do not manage the team.
    let mailsReturn: Bool?

    init(_ member: TeamMember, seesFaults: Bool, links: PictureLinks) {
        id = member.user.id.description
        name = member.user.name
        displayName = member.user.displayName
        role = member.role
        picture = PictureResponse(of: member.user, links: links)
        mailsReturn = seesFaults ? member.user.addressFault != nil : nil
    }
}
