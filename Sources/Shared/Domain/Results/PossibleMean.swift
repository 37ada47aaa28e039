/// The reliability of a published mean: the range it would lie in if the answers missing from it were all 0, or all 10.
///
/// Derived only from the published state and the number of members, so it reveals nothing about unpublished counts.
package struct PossibleMean: Hashable, Sendable {
    /// The published mean, 0...10.
    package let mean: Double
    /// Number of answers in the mean.
    package let votes: Int
    /// Number of answers missing from it: not given, or not published.
    package let missing: Int
    /// The mean if every missing answer were 0.
    package let lowest: Double
    /// The mean if every missing answer were 10.
    package let highest: Double

    /// - Parameter memberCount: current members; a closed sprint has its own number.
    /// - Returns: `nil` while nothing is published.
    package init?(_ publication: Publication, memberCount: Int) {
        guard let mean = publication.happiness else { return nil }
        let people = max(publication.eligible ?? memberCount, publication.votes)
        let tenthsOfAll = Double(people * 10)
        self.mean = mean
        votes = publication.votes
        missing = people - publication.votes
        lowest = Double(publication.sumInTenths) / tenthsOfAll
        highest = Double(publication.sumInTenths + missing * 100) / tenthsOfAll
    }

    /// All members who could have answered.
    package var people: Int { votes + missing }

    /// The share of them whose answer is in the mean, above 0 and at most 1.
    package var share: Double { Double(votes) / Double(people) }

    /// A change that the missing answers cannot undo.
    package enum Change: Hashable, Sendable {
        /// Up, whatever the missing answers of both would be.
        case rise
        /// Down, whatever the missing answers of both would be.
        case fall
    }

    /// The change since an earlier mean; `nil` if the missing answers of the two could undo the difference.
    package func change(since earlier: PossibleMean) -> Change? {
        if lowest > earlier.highest { return .rise }
        return highest < earlier.lowest ? .fall : nil
    }
}
