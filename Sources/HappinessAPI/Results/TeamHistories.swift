import Shared

/// All sprints of a team as they are published.
struct TeamHistory: Sendable {
    /// The team's publication number when this was read: what is here may be newer, never older.
    let number: Int
    /// In order of start, the latest `SprintFilter.maximumCount`.
    let publications: [Publication]
}

/// Histories of teams, from a cache that follows the team's publication number.
struct TeamHistories: Sendable {
    private let publications: PublicationService
    private let cache: PublicationCache<Whole, TeamHistory>

    private enum Whole: Hashable {
        case history
    }

    init(publications: PublicationService, teams: any TeamStore, clock: WallClock) {
        self.publications = publications
        cache = PublicationCache(teams: teams, clock: clock)
    }

    /// For callers that have checked membership.
    func history(of teamID: Team.ID) async throws -> TeamHistory {
        // Time alone may end a sprint; whoever asks first closes it, which moves the publication number.
        _ = try await publications.currentPublication(of: teamID)
        return try await cache.value(of: teamID, key: .history) { number in
            TeamHistory(
                number: number, publications: try await publications.publications(of: teamID, matching: .all))
        }
    }
}
