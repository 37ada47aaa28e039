import Domain
import Hummingbird
import Services

/// All teams, for administrators: their settings, but none of their results.
struct AdministeredTeamController: Sendable {
    let teams: TeamService

    /// Teams per page.
    static let pageSize = 50
    /// Upper bound for `limit`.
    private static let maximumPageSize = 200

    /// `GET /api/v1/admin/teams?search=&after=&limit=`
    func list(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal().caller
        let limit = try request.limit(standard: Self.pageSize, maximum: Self.maximumPageSize)
        // Fetches one more to see whether there is another page.
        let found = try await teams.list(
            matching: request.query("search") ?? "", after: request.query("after"), limit: limit + 1, by: caller)
        return try JSONBody.response(AdministeredTeamListResponse(found, limit: limit))
    }

    private struct AddRequest: Decodable {
        let name: String
        /// IANA name; defaults to that of the caller's default team.
        let timeZone: String?
        let threshold: Int?
        let policy: PublicationPolicy?
        let graceDays: Int?
        let feedbackReaders: Team.FeedbackReaders?
        let ballots: Team.AcceptedBallots?
        let actionAuthors: Team.ActionAuthors?
    }

    /// `POST /api/v1/admin/teams`: creates a team without members; other missing fields get the default settings.
    func add(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal().caller
        let body = try await request.json(as: AddRequest.self)
        let team = try await teams.add(
            name: body.name,
            settings: TeamSettingsChange(
                timeZone: body.timeZone, threshold: body.threshold, policy: body.policy, graceDays: body.graceDays,
                feedbackReaders: body.feedbackReaders, ballots: body.ballots, actionAuthors: body.actionAuthors),
            by: caller)
        return try JSONBody.response(AdministeredTeamResponse(team), status: .created)
    }

    /// `DELETE /api/v1/admin/teams/{team}?name=`: with all its results.
    func delete(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await teams.delete(
            try context.teamID(), named: request.query("name") ?? "", by: try context.requirePrincipal().caller)
        return Response(status: .noContent)
    }
}

/// A page of teams.
struct AdministeredTeamListResponse: Encodable {
    let teams: [AdministeredTeamResponse]
    @ExplicitNull var nextAfter: String?

    /// - Parameter found: holds `limit` + 1 teams if there are more pages.
    init(_ found: [Team], limit: Int) {
        let page = found.prefix(limit)
        teams = page.map(AdministeredTeamResponse.init)
        nextAfter = found.count > limit ? page.last?.name : nil
    }
}

/// A team as an administrator sees it, without having to be a member.
struct AdministeredTeamResponse: Encodable {
    let id: String
    let name: String
    let members: Int
    let timeZone: String
    let threshold: Int
    let policy: PublicationPolicy

    init(_ team: Team) {
        id = team.id.description
        name = team.name
        members = team.memberCount
        timeZone = team.settings.timeZone
        threshold = team.settings.threshold
        policy = team.settings.policy
    }
}
