import Hummingbird
import Shared

/// The teams of the one who asks, and what they share.
struct TeamController: Sendable {
    let stores: Stores
    let teams: TeamService
    let publicURL: String

    /// `GET /api/v1/teams`
    func list(_ request: Request, context: AppRequestContext) async throws -> Response {
        let member = try context.requirePrincipal()
        let teams = try await stores.teams.teams(of: member.userID)
        return try JSONBody.response(["teams": teams.map { TeamResponse($0.team, role: $0.role) }])
    }

    /// `GET /api/v1/teams/{team}`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        let member = try context.requirePrincipal()
        let teamID = try context.teamID()
        guard let membership = try await stores.teams.membership(of: member.userID, in: teamID),
            let team = try await stores.teams.find(id: teamID)
        else { throw AppError.noSuchTeam }
        return try JSONBody.response(TeamResponse(team, role: membership.role))
    }

    private struct ShareResponse: Encodable {
        /// The chart for whoever has the link; shown once, since only a hash of it is kept.
        let chart: String
    }

    /// `PUT /api/v1/teams/{team}/share-link`: a new link; the one before is gone.
    func share(_ request: Request, context: AppRequestContext) async throws -> Response {
        let token = try await teams.share(try context.teamID(), by: try context.requirePrincipal())
        return try JSONBody.response(ShareResponse(chart: "\(publicURL)/api/v1/shared/\(token)/chart.svg"))
    }

    /// `DELETE /api/v1/teams/{team}/share-link`
    func unshare(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await teams.unshare(try context.teamID(), by: try context.requirePrincipal())
        return Response(status: .noContent)
    }
}

/// A team as its members see it.
private struct TeamResponse: Encodable {
    let id: String
    let name: String
    /// Of the one who asks.
    let role: Membership.Role
    let members: Int
    let calendar: String
    let timeZone: String
    let threshold: Int
    let policy: PublicationPolicy
    let graceDays: Int
    let feedbackReaders: Team.FeedbackReaders
    let isShared: Bool

    init(_ team: Team, role: Membership.Role) {
        id = team.id.description
        name = team.name
        self.role = role
        members = team.memberCount
        calendar = team.settings.calendar.description
        timeZone = team.settings.timeZone
        threshold = team.settings.threshold
        policy = team.settings.policy
        graceDays = team.settings.graceDays
        feedbackReaders = team.settings.feedbackReaders
        isShared = team.shareTokenHash != nil
    }
}
