import Foundation

/// A sprint as members of its team may see it: the published state and nothing of what is merely counted.
///
/// Everything that leaves the product about results (JSON, CSV, chart, classic routes) is made from this type, which
/// has no way to the tally.
public struct Publication: Hashable, Sendable {
    /// The sprint and its terms.
    public let sprint: Sprint
    /// Whether it takes no ballots any more.
    public let isClosed: Bool
    /// Ballots in the published state; 0 while nothing is published.
    public let votes: Int
    /// Sum of the published values, in tenths.
    public let sumInTenths: Int
    /// Mean of the published values on the scale 0...10, not rounded; `nil` while nothing is published.
    public let happiness: Double?
    /// Published ballots in each column 0...10, where that tells nobody's value: see
    /// `PublicationState.visibleDistribution`.
    public let distribution: [Int]?
    /// Members who could have voted; `nil` until the sprint is closed.
    public let eligible: Int?
    /// People who joined the team while the sprint was open, those included who have left since: so nobody can fill a group
    /// with accounts that come and go.
    public let joined: Int
    /// Feedback up to this number may be read.
    let publishedNumber: Int

    /// What of a record may be seen.
    public init(_ record: SprintRecord) {
        let published = record.state.published
        sprint = record.sprint
        isClosed = record.state.isClosed
        votes = published.count
        sumInTenths = published.sum
        happiness = published.happiness
        distribution = record.state.visibleDistribution(policy: sprint.policy, threshold: sprint.threshold)
        eligible = record.eligible
        joined = record.joined
        publishedNumber = record.state.publishedNumber
    }

    /// Whether anything of it is published.
    public var isPublished: Bool { votes > 0 }
}

extension Publication {
    /// The publication as a point of the history chart and the CSV; `nil` while nothing is published.
    public var historyPoint: HistoryPoint? {
        guard let happiness else { return nil }
        return HistoryPoint(
            label: sprint.label, start: sprint.start, end: sprint.end, happiness: happiness, votes: votes,
            eligible: eligible, isRunning: !isClosed, distribution: distribution)
    }
}
