import Foundation
import Shared

/// A sprint in JSON. Contains published data only.
struct SprintResponse: Encodable {
    /// For example `2026/3`.
    let label: String
    let year: Int
    let number: Int
    let start: Date
    let end: Date
    /// Ballots are refused from this instant on.
    let closes: Date
    /// `running` or `closed`.
    let state: String
    /// The threshold k in force.
    let threshold: Int
    let policy: PublicationPolicy
    /// Number of people who joined the team while the sprint was open.
    let joined: Int
    /// `null` while there are fewer than k ballots, or nothing is published yet.
    let publication: PublicationResponse?

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
        joined = publication.joined
        self.publication = PublicationResponse(publication)
    }

    private enum CodingKeys: CodingKey {
        case label, year, number, start, end, closes, state, threshold, policy, joined, publication
    }

    /// Encodes withheld values as `null`, not missing.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(label, forKey: .label)
        try container.encode(year, forKey: .year)
        try container.encode(number, forKey: .number)
        try container.encode(start, forKey: .start)
        try container.encode(end, forKey: .end)
        try container.encode(closes, forKey: .closes)
        try container.encode(state, forKey: .state)
        try container.encode(threshold, forKey: .threshold)
        try container.encode(policy, forKey: .policy)
        try container.encode(joined, forKey: .joined)
        try container.encode(publication, forKey: .publication)
    }
}

/// The published state of a sprint.
struct PublicationResponse: Encodable {
    /// Mean, 0...10, not rounded.
    let happiness: Double
    let votes: Int
    /// Number of votes for each value 0...10; `null` below five votes.
    let distribution: [Int]?
    /// Members who could have voted; `null` while the sprint runs.
    let eligible: Int?

    init?(_ publication: Publication) {
        guard let happiness = publication.happiness else { return nil }
        self.happiness = happiness
        votes = publication.votes
        distribution = publication.distribution
        eligible = publication.eligible
    }

    private enum CodingKeys: CodingKey {
        case happiness, votes, distribution, eligible
    }

    /// Encodes withheld values as `null`, not missing.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(happiness, forKey: .happiness)
        try container.encode(votes, forKey: .votes)
        try container.encode(distribution, forKey: .distribution)
        try container.encode(eligible, forKey: .eligible)
    }
}
