import Domain
import Foundation
import Services

/// The live view of a team: a link to vote, the value or, until there is one, the last result, and what became of it.
struct LivePage: Page {
    static let template = "live"

    /// Path of the event stream for `live.js`.
    let events: SitePath
    /// The team's publication number at the time of rendering, or an earlier one.
    let number: Int
    /// The sprint's label.
    let label: String
    let dates: String
    /// The remaining time; `nil` once the sprint is closed.
    let rest: String?
    let face: Face
    /// `7.4`, of this sprint or of the last one with a result; `nil` if there has been none.
    let value: String?
    /// Whose value it is: `Result so far`, or `Last result · 9–22 November`.
    let resultTitle: String
    /// The comparison with the sprint before in one line.
    let change: String?
    /// Sentences about the value, or why there is none.
    let summary: [String]
    let range: Range?
    /// Sentences about how the comparison comes about.
    let comparison: [String]
    /// What can be told of a final result; `nil` while the value shown may change.
    let story: Story?
    /// Path of the ballot's form; `nil` if the viewer cannot vote.
    let voteAddress: SitePath?
    /// Whether the results let a careful reader find out who voted how.
    let isUnprotected: Bool
    /// Whether the viewer has voted; `false` once the sprint is closed, because its receipts have been removed.
    let hasVoted: Bool
    /// For viewers who cannot vote: thanks, or that the sprint is closed, which may be no vote of theirs.
    let title: String
    /// For viewers who cannot vote: when their vote appears, or that everyone has voted.
    let thanks: String
    /// A sentence about the next event, for viewers who cannot vote.
    let next: String
    /// Something to look at after the vote: this sprint's result if it is complete, or else the last sprint if there is
    /// feedback to read, or else the team's actions.
    let look: MessagePage.Link
    /// One thing to read after the vote: the open action that the team is at, or a text of the last sprint that the
    /// viewer may read. `nil` for viewers who can vote, and once the result is there.
    let reading: Reading?
    /// Whether the viewer has voted and waits for the first result. On a phone the thanks then come first.
    let isAwaitingResult: Bool
    /// Drawn by `thanks.js` with the value that the viewer has just chosen; the server does not know it. `nil` for
    /// viewers who can vote.
    let chosenFace: Face?
    /// The cards below the value.
    let cards: LiveCards
    /// The remaining first steps for the lead of a new team; `nil` for everyone else.
    var firstSteps: FirstStepsCard?
    /// Whether mails to the viewer's address do not arrive.
    var mailsReturn = false

    /// Something to read, and where there is more of it.
    struct Reading: Sendable {
        /// Says what it is.
        let label: String
        let text: String
        let address: SitePath
    }

    /// The last closed sprint with a result, and what the team had changed in it.
    struct LastResult: Sendable {
        let publication: Publication
        /// The sprint that ended when it started.
        let before: Publication?
        /// The actions that began in it.
        let begun: [BegunAction]
    }

    /// A final result besides its value.
    struct Story: Sendable {
        let participation: String
        /// `nil` where it could reveal someone.
        let shape: Distribution?
        /// The actions that began in the sprint.
        let begun: [MessagePage.Link]
        let hasBegun: Bool
        /// Whether the value moved since.
        let moved: String?
        /// For the retrospective.
        let question: String
    }

    /// The possible final values: positions on a line of 1,000 units from 0 to 10.
    struct Range: Sendable {
        let start: Int
        let length: Int
        let mark: Int
        /// Text alternative for screen readers.
        let text: String
    }

    /// - Parameters:
    ///   - live: published states; the page must not contain any other results.
    ///   - last: as above; may be the current sprint.
    ///   - vote: may be newer than `live`.
    ///   - voteAddress: where the viewer votes if they can.
    ///   - oneAction: the open action for a viewer who has voted.
    init(
        _ live: LiveSprint, last: LastResult? = nil, team: Team, vote: BallotService.VoteState, voteAddress: SitePath,
        cards: LiveCards, oneAction: Action? = nil, words: LocalizedTexts, now: Date
    ) {
        let publication = live.current
        let sprint = publication.sprint
        let sprintWords = SprintTexts(words: words, zone: team.settings.zone)
        let isCurrent = publication.isPublished || last == nil
        let shown = isCurrent ? publication : last?.publication ?? publication
        let before = isCurrent ? live.previous : last?.before
        let possible = PossibleMean(shown, memberCount: team.memberCount)
        events = .events(of: team.id)
        number = live.number
        label = sprint.label.description
        dates = sprintWords.dates(of: sprint)
        rest = publication.isClosed ? nil : sprintWords.rest(of: sprint, at: now)
        face = Face(shown.happiness)
        value = shown.happiness.map(words.happiness)
        resultTitle =
            if !isCurrent {
                "\(words.text("story.lastResult")) · \(sprintWords.dates(of: shown.sprint))"
            } else {
                shown.isClosed ? words.text("story.result") : words.text("story.resultSoFar")
            }
        // Of the current sprint, also beside the last result: when there will be a new one.
        summary = ResultTexts(words: words, publication: publication, memberCount: team.memberCount)
            .summary(PossibleMean(publication, memberCount: team.memberCount))
        let result = ResultTexts(words: words, publication: shown, memberCount: team.memberCount)
        change = possible.flatMap { result.change(of: $0, since: before) }
        range = possible.flatMap { $0.missing > 0 ? Range($0, text: result.range($0)) : nil }
        comparison =
            possible.map { possible in
                [
                    result.comparison(of: possible, with: before, called: isCurrent ? .last : .before),
                    result.limits(of: possible, since: before),
                ].compactMap(\.self)
            } ?? []
        story = ResultStory(
            shown, before: before, begun: last?.begun ?? [], memberCount: team.memberCount, words: words
        ).map { Story($0, team: team, words: words) }
        self.voteAddress = vote == .open && !publication.isClosed ? voteAddress : nil
        isUnprotected = sprint.policy == .immediate
        let isWaiting = vote == .voted && !publication.isClosed
        hasVoted = isWaiting
        title = isWaiting ? words.text("live.thanks") : words.text("live.closed")
        // A group appears when the next one is complete, so before the end only with two more groups of members.
        let mayFollow = publication.votes + 2 * sprint.threshold <= team.memberCount
        thanks =
            switch sprint.policy {
            case _ where !isWaiting: words.text("live.complete")
            case .live where mayFollow: words.text("live.votedInGroups")
            case .live, .close: words.text("live.votedAtEnd")
            case .immediate: words.text("live.votedAtOnce")
            }
        reading = isWaiting ? Self.reading(oneAction, cards.feedback, team: team, words: words) : nil
        isAwaitingResult = isWaiting && publication.happiness == nil
        look = Self.look(after: live, last: last, team: team, hasFeedback: cards.feedback != nil, words: words)
        self.cards = cards
        chosenFace = self.voteAddress == nil ? Face(nil) : nil
        next = words.text("live.next", ["day": sprintWords.next(after: sprint)])
    }

    private static func reading(
        _ action: Action?, _ feedback: LiveCards.TextList?, team: Team, words: LocalizedTexts
    ) -> Reading? {
        if let action {
            return Reading(
                label: words.text("live.oneAction"), text: action.content.title,
                address: .action(action.id, of: team.id))
        }
        guard let feedback, let text = feedback.texts.first else { return nil }
        return Reading(label: words.text("live.oneText"), text: text, address: feedback.address)
    }

    private static func look(
        after live: LiveSprint, last: LastResult?, team: Team, hasFeedback: Bool, words: LocalizedTexts
    ) -> MessagePage.Link {
        func link(_ sprint: Sprint, _ text: String) -> MessagePage.Link {
            MessagePage.Link(address: .sprint(sprint.label, of: team.id), label: text)
        }
        if live.current.isClosed, live.current.happiness != nil {
            return link(live.current.sprint, words.text("live.lookAtResult"))
        }
        if hasFeedback, let last { return link(last.publication.sprint, words.text("live.lookAtSprint")) }
        return MessagePage.Link(address: .actions(of: team.id), label: words.text("live.lookAtActions"))
    }
}

extension LivePage.Story {
    fileprivate init(_ story: ResultStory, team: Team, words: LocalizedTexts) {
        participation = story.participation
        shape = story.distribution.map { Distribution($0, words: words) }
        begun = story.begun.map { MessagePage.Link(address: .action($0.id, of: team.id), label: $0.title) }
        hasBegun = !begun.isEmpty
        moved = story.moved
        question = story.question
    }
}

extension LivePage.Range {
    fileprivate init(_ possible: PossibleMean, text: String) {
        start = Int((possible.lowest * 100).rounded(.down))
        length = Int((possible.highest * 100).rounded(.up)) - start
        mark = Int((possible.mean * 100).rounded())
        self.text = text
    }
}
