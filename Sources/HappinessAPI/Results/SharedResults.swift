import Domain
import Ports
import Services
import Storage

/// The results a team shows to everyone with its link: published states only, cached until the next publication.
struct SharedResults: Sendable {
    private let publications: PublicationService
    private let sprints: SprintService
    private let teams: TeamService
    private let histories: PublicationCache<WholeHistory, SharedHistory>

    /// Cache key of a team's history.
    private enum WholeHistory {
        case published
    }

    init(publications: PublicationService, sprints: SprintService, teams: TeamService, clock: WallClock) {
        self.publications = publications
        self.sprints = sprints
        self.teams = teams
        histories = PublicationCache(publications: publications, clock: clock)
    }

    /// The team that created the link, and its history.
    /// - Throws: `AppError.notFound` (`no-such-link`), the same for unknown and revoked tokens.
    func find(token: String) async throws -> (team: Team, history: SharedHistory) {
        let team = try await teams.team(sharedUnder: token)
        // Closes a sprint that has ended, which changes the publication number.
        _ = try await sprints.runningSprint(of: team.id)
        let history = try await histories.value(of: team.id, key: .published) { _ in
            SharedHistory(
                teamName: team.name, zone: team.settings.zone,
                points: try await publications.points(of: team.id, matching: .all))
        }
        return (team, history)
    }
}

extension PublicationService {
    /// The published sprints as a chart shows them, in order.
    func points(of teamID: Team.ID, matching filter: SprintFilter) async throws -> [HistoryPoint] {
        try await publications(of: teamID, matching: filter).compactMap(\.historyPoint)
    }
}
