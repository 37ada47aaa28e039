import Foundation
import Shared

/// What the live view shows of a team: the running sprint and the one before, as they are published.
struct LiveSprint: Sendable {
    /// The team's publication number when this was read: what is here may be newer, never older.
    let number: Int
    let current: Publication
    /// `nil` for a team's first sprint.
    let previous: Publication?
}

/// Live sprints, from a cache that follows the team's publication number.
struct LiveSprints: Sendable {
    private let publications: PublicationService
    private let sprints: SprintService
    private let cache: PublicationCache<Sprint.Key, LiveSprint>

    init(publications: PublicationService, sprints: SprintService, teams: any TeamStore, clock: WallClock) {
        self.publications = publications
        self.sprints = sprints
        cache = PublicationCache(teams: teams, clock: clock)
    }

    /// For callers that have checked membership.
    func live(of teamID: Team.ID) async throws -> LiveSprint {
        let sprint = try await sprints.runningSprint(of: teamID)
        return try await cache.value(of: teamID, key: sprint.key) { number in
            let current = try await publications.currentPublication(of: teamID)
            return LiveSprint(
                number: number, current: current, previous: try await publications.publication(before: current.sprint))
        }
    }
}
