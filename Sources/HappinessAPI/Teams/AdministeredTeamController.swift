import Hummingbird
import Shared

/// All teams there are, for administrators: what they are, and nothing of what they say.
struct AdministeredTeamController: Sendable {
    let teams: TeamService

    /// Teams of a page.
    static let pageSize = 50
    /// The most a caller can ask for at once.
    private static let maximumPageSize = 200

    /// `GET /api/v1/admin/teams?search=&after=&limit=`
    func list(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal().caller
        let limit = try request.limit(standard: Self.pageSize, maximum: Self.maximumPageSize)
        // One more tells whether there is another page.
        let found = try await teams.list(
            matching: request.query("search"), after: request.query("after"), limit: limit + 1, by: caller)
        return try JSONBody.response(AdministeredTeamsResponse(found, limit: limit))
    }

    private struct AddRequest: Decodable {
        let name: String
        /// IANA name.
        let timeZone: String?
        let threshold: Int?
        let policy: PublicationPolicy?
        let graceDays: Int?
        let feedbackReaders: Team.FeedbackReaders?
    }

    /// `POST /api/v1/admin/teams`: a team without members; what the body does not name is as in any new team.
    func add(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal().caller
        let body = try await request.json(as: AddRequest.self)
        let team = try await teams.add(
            name: body.name,
            settings: TeamSettingsChange(
                timeZone: body.timeZone, threshold: body.threshold, policy: body.policy, graceDays: body.graceDays,
                feedbackReaders: body.feedbackReaders),
            by: caller)
        return try JSONBody.response(AdministeredTeamResponse(team), status: .created)
    }
}

/// A page of teams.
struct AdministeredTeamsResponse: Encodable {
    let teams: [AdministeredTeamResponse]
    let nextAfter: String?

    /// - Parameter found: one more than `limit` if there are more.
    init(_ found: [Team], limit: Int) {
        let page = found.prefix(limit)
        teams = page.map(AdministeredTeamResponse.init)
        nextAfter = found.count > limit ? page.last?.name : nil
    }

    /// `nextAfter` is null, not missing, on the last page.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(teams, forKey: .teams)
        try container.encode(nextAfter, forKey: .nextAfter)
    }

    private enum CodingKeys: CodingKey {
        case teams, nextAfter
    }
}

/// A team as an administrator sees it who need not be in it.
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
