/// What a published mean can carry: between which values it would lie with the answers that are not in it, had each of
/// them been 0, or each 10.
///
/// Made from the published state and the number of people alone, so it says nothing of what is merely counted.
public struct PossibleMean: Hashable, Sendable {
    /// The published mean, 0...10.
    public let mean: Double
    /// Answers in it.
    public let votes: Int
    /// Answers that are not in it: not given, or not published.
    public let missing: Int
    /// Were every missing answer 0.
    public let lowest: Double
    /// Were every missing answer 10.
    public let highest: Double

    /// - Parameter memberCount: members now; a closed sprint has its own number.
    /// - Returns: `nil` while nothing is published.
    public init?(_ publication: Publication, memberCount: Int) {
        guard let mean = publication.happiness else { return nil }
        let people = max(publication.eligible ?? memberCount, publication.votes)
        let tenthsOfAll = Double(people * 10)
        self.mean = mean
        votes = publication.votes
        missing = people - publication.votes
        lowest = Double(publication.sumInTenths) / tenthsOfAll
        highest = Double(publication.sumInTenths + missing * 100) / tenthsOfAll
    }

    /// Everybody an answer could have come from.
    public var people: Int { votes + missing }

    /// What may be called a change.
    public enum Change: Hashable, Sendable {
        /// Up, whatever the missing answers of both say.
        case rise
        /// Down, whatever they say.
        case fall
    }

    /// The change since an earlier mean; `nil` for a difference that the missing answers of the two could undo.
    public func change(since earlier: PossibleMean) -> Change? {
        if lowest > earlier.highest { return .rise }
        return highest < earlier.lowest ? .fall : nil
    }
}
