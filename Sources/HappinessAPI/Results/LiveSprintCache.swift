import Domain
import Foundation
import Ports
import Services

/// The data of a team's live view: the published states of the running and the previous sprint.
struct LiveSprint: Sendable {
    /// The team's publication number at the time of reading; the content may be newer, never older.
    let number: Int
    let current: Publication
    /// `nil` in a team's first sprint.
    let previous: Publication?
}

/// Reads live views; cached until the team's publication number changes.
struct LiveSprintCache: Sendable {
    private let publications: PublicationService
    private let sprints: SprintService
    private let cache: PublicationCache<Sprint.Key, LiveSprint>

    init(publications: PublicationService, sprints: SprintService, clock: WallClock) {
        self.publications = publications
        self.sprints = sprints
        cache = PublicationCache(publications: publications, clock: clock)
    }

    /// The caller must have checked membership.
    func live(of teamID: Team.ID) async throws -> LiveSprint {
        let sprint = try await sprints.runningSprint(of: teamID)
        return try await cache.value(of: teamID, key: sprint.key) { number in
            let current = try await publications.currentPublication(of: teamID)
            return LiveSprint(
                number: number, current: current, previous: try await publications.publication(before: current.sprint))
        }
    }
}
