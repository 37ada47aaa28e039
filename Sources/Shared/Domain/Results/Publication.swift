package import Commitments
import Foundation

/// A sprint as members of its team may see it: the published state, without unpublished counts.
///
/// All results that leave the product (JSON, CSV, chart, classic routes) are built from this type, which has no access
/// to the tally.
package struct Publication: Hashable, Sendable {
    /// The sprint and its terms.
    package let sprint: Sprint
    /// Whether it no longer accepts ballots.
    package let isClosed: Bool
    /// Ballots in the published state; 0 while nothing is published.
    package let votes: Int
    /// Sum of the published values, in tenths.
    package let sumInTenths: Int
    /// Mean of the published values on the scale 0...10, not rounded; `nil` while nothing is published.
    package let happiness: Double?
    /// Published ballots in each column 0...10, if that reveals no member's value: see
    /// `PublicationState.visibleDistribution`.
    package let distribution: [Int]?
    /// Members who could have voted; `nil` until the sprint is closed.
    package let eligible: Int?
    /// Members who joined the team while the sprint was open, including those who have left since. It prevents filling
    /// a group with temporary accounts.
    package let joined: Int
    /// How many of `votes` were sealed; `nil` until the sprint is closed, and if that would single out someone.
    package let sealed: Int?
    /// Ballot papers signed and spent; `nil` where `sealed` is.
    package let papers: PaperCounts?
    /// Sum of the blinding factors of the published ballots; `nil` until the sprint is closed.
    package let randomness: BlindingFactor?
    /// Feedback up to this snapshot number may be read.
    package let publishedNumber: Int

    /// Takes the visible part of a record.
    package init(_ record: SprintRecord) {
        let published = record.state.published
        sprint = record.sprint
        isClosed = record.state.isClosed
        votes = published.count
        sumInTenths = published.sum
        happiness = published.happiness
        distribution = record.state.visibleDistribution(policy: sprint.policy, threshold: sprint.threshold)
        eligible = record.eligible
        joined = record.joined
        sealed = record.sealed
        papers = record.sealed.map { PaperCounts(issued: record.papers.issued, spent: $0) }
        randomness = record.state.isClosed ? published.randomness : nil
        publishedNumber = record.state.publishedNumber
    }

    /// Whether any part of it is published.
    package var isPublished: Bool { votes > 0 }
}

extension Publication {
    /// The publication as a point of the history chart and the CSV; `nil` while nothing is published.
    package var historyPoint: HistoryPoint? {
        guard let happiness else { return nil }
        return HistoryPoint(
            label: sprint.label, start: sprint.start, end: sprint.end, happiness: happiness, votes: votes,
            eligible: eligible, isRunning: !isClosed, isImported: sprint.isImported, distribution: distribution)
    }
}
