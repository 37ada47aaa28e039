import Domain
import Foundation

/// A sprint in JSON. Contains published data only.
struct SprintResponse: Encodable {
    /// For example `2026/3`.
    let label: String
    let year: Int
    let number: Int
    let start: Date
    let end: Date
    /// Ballots are rejected from this instant on.
    let closes: Date
    /// `running` or `closed`.
    let state: String
    /// The threshold k in force.
    let threshold: Int
    let policy: PublicationPolicy
    /// Which ballots it counts.
    let ballots: Team.AcceptedBallots
    /// Number of people who joined the team while the sprint was open.
    let joined: Int
    /// Whether another tool counted it.
    let imported: Bool
    /// `null` while there are fewer than k ballots, or nothing is published yet.
    @ExplicitNull var publication: PublicationResponse?

    init(_ publication: Publication) {
        let sprint = publication.sprint
        label = sprint.label.description
        year = sprint.label.year
        number = sprint.label.number
        start = sprint.start
        end = sprint.end
        closes = sprint.closes
        state = publication.isClosed ? "closed" : "running"
        threshold = sprint.threshold
        policy = sprint.policy
        ballots = sprint.ballots
        joined = publication.joined
        imported = sprint.isImported
        self.publication = PublicationResponse(publication)
    }
}

/// The published state of a sprint.
struct PublicationResponse: Encodable {
    /// Mean, 0...10, not rounded.
    let happiness: Double
    let votes: Int
    /// Number of votes for each value 0...10; `null` below five votes.
    @ExplicitNull var distribution: [Int]?
    /// Members who could have voted; `null` while the sprint runs.
    @ExplicitNull var eligible: Int?
    /// How many of the votes were sealed; `null` while the sprint runs, and if that could single out someone.
    @ExplicitNull var sealed: Int?

    init?(_ publication: Publication) {
        guard let happiness = publication.happiness else { return nil }
        self.happiness = happiness
        votes = publication.votes
        distribution = publication.distribution
        eligible = publication.eligible
        sealed = publication.sealed
    }
}
