package import Domain

/// The result of a closed sprint as a short story, for home and mail: what happened, what the team had changed, and one
/// question to talk about.
///
/// Made of published states and the titles of actions only, so it is the same for every member. Feedback is not part of
/// it: who reads that is decided for each reader.
package struct ResultStory: Sendable {
    /// The value and the one before in one line; `nil` if there is nothing to compare with.
    package let change: String?
    /// `67% took part.`
    package let participation: String
    /// Number of answers for each value from 0 to 10, if that reveals no one (`PublicationState.visibleDistribution`).
    package let distribution: [Int]?
    /// The actions that began in the sprint.
    package let begun: [BegunAction]
    /// Whether the value moved in the sprint in which they began; `nil` without such actions or a sprint before.
    package let moved: String?
    /// For the retrospective.
    package let question: String

    /// - Parameters:
    ///   - before: the sprint that ended when this one started.
    ///   - begun: the actions that began in the sprint.
    ///   - memberCount: the current number of members.
    /// - Returns: `nil` unless the sprint is closed and has a result.
    package init?(
        _ publication: Publication, before: Publication?, begun: [BegunAction], memberCount: Int, words: LocalizedTexts
    ) {
        guard publication.isClosed, let possible = PossibleMean(publication, memberCount: memberCount) else {
            return nil
        }
        let result = ResultTexts(words: words, publication: publication, memberCount: memberCount)
        let direction = result.direction(of: possible, since: before)
        change = result.change(of: possible, since: before)
        participation = words.text("story.participation", ["share": result.participation(possible)])
        distribution = publication.distribution
        self.begun = begun
        moved = begun.isEmpty || change == nil ? nil : Self.moved(direction, words)
        question = Self.question(
            direction, isApart: Self.isApart(publication.distribution), possible, hasBegun: !begun.isEmpty, words)
    }

    private static func moved(_ direction: PossibleMean.Change?, _ words: LocalizedTexts) -> String {
        switch direction {
        case .rise: words.text("story.movedUp")
        case .fall: words.text("story.movedDown")
        case nil: words.text("story.notMoved")
        }
    }

    /// Below this share of answers, or this value, the question is about that.
    private static let few = 0.5
    private static let low = 5.0

    private static func question(
        _ direction: PossibleMean.Change?, isApart: Bool, _ possible: PossibleMean, hasBegun: Bool,
        _ words: LocalizedTexts
    ) -> String {
        switch direction {
        case .fall: return words.text("story.questionFall")
        case .rise: return words.text("story.questionRise")
        case nil: break
        }
        if isApart { return words.text("story.questionApart") }
        if possible.share < few { return words.text("story.questionFew") }
        if hasBegun { return words.text("story.questionAction") }
        return possible.mean < low ? words.text("story.questionLow") : words.text("story.question")
    }

    /// Whether several people are at either end of a visible distribution. A single one would be put on the spot.
    private static func isApart(_ distribution: [Int]?) -> Bool {
        guard let distribution, distribution.count == 11 else { return false }
        return distribution[0...3].reduce(0, +) > 1 && distribution[8...10].reduce(0, +) > 1
    }
}
