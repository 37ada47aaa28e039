import Domain
import Ports
import Services
import Storage

/// All published sprints of a team.
struct TeamHistory: Sendable {
    /// The team's publication number at the time of reading; the content may be newer, never older.
    let number: Int
    /// In order of start; at most the latest `SprintFilter.maximumCount`.
    let publications: [Publication]
}

/// Reads teams' histories; cached until the team's publication number changes.
struct HistoryCache: Sendable {
    private let publications: PublicationService
    private let cache: PublicationCache<Whole, TeamHistory>

    private enum Whole: Hashable {
        case history
    }

    init(publications: PublicationService, clock: WallClock) {
        self.publications = publications
        cache = PublicationCache(publications: publications, clock: clock)
    }

    /// The caller must have checked membership.
    func history(of teamID: Team.ID) async throws -> TeamHistory {
        // A sprint may end just because time passes. The first request after that closes it, which changes the
        // publication number.
        _ = try await publications.currentPublication(of: teamID)
        return try await cache.value(of: teamID, key: .history) { number in
            TeamHistory(number: number, publications: try await publications.publications(of: teamID, matching: .all))
        }
    }
}
