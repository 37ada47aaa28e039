import Shared

/// The running sprint's publication, cached until the team's publication number changes.
struct CurrentSprintCache: Sendable {
    private let publications: PublicationService
    private let sprints: SprintService
    private let cache: PublicationCache<Sprint.Key, Publication>

    init(publications: PublicationService, sprints: SprintService, teams: any TeamStore, clock: WallClock) {
        self.publications = publications
        self.sprints = sprints
        cache = PublicationCache(teams: teams, clock: clock)
    }

    /// The caller must have checked membership.
    func publication(of teamID: Team.ID) async throws -> Publication {
        let sprint = try await sprints.runningSprint(of: teamID)
        return try await cache.value(of: teamID, key: sprint.key) { _ in
            try await publications.currentPublication(of: teamID)
        }
    }
}
