import Domain
import Foundation
import Services

/// The live view of a team: its value, the value's uncertainty, and a link to vote.
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
    /// `7.4`; `nil` while nothing is published.
    let value: String?
    /// Sentences about the value, or why there is none.
    let summary: [String]
    let range: Range?
    /// Comparison with the previous sprint.
    let comparison: String?
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
    ///   - vote: may be newer than `live`.
    ///   - voteAddress: where the viewer votes if they can.
    ///   - oneAction: the open action for a viewer who has voted.
    init(
        _ live: LiveSprint, team: Team, vote: BallotService.VoteState, voteAddress: SitePath, cards: LiveCards,
        oneAction: Action? = nil, words: LocalizedTexts, now: Date
    ) {
        let publication = live.current
        let sprint = publication.sprint
        let sprintWords = SprintTexts(words: words, zone: team.settings.zone)
        let possible = PossibleMean(publication, memberCount: team.memberCount)
        events = .events(of: team.id)
        number = live.number
        label = sprint.label.description
        dates = sprintWords.dates(of: sprint)
        rest = publication.isClosed ? nil : sprintWords.rest(of: sprint, at: now)
        face = Face(publication.happiness)
        value = publication.happiness.map(words.happiness)
        let result = ResultTexts(words: words, publication: publication, memberCount: team.memberCount)
        summary = result.summary(possible)
        range = possible.flatMap { $0.missing > 0 ? Range($0, text: result.range($0)) : nil }
        comparison = possible.flatMap { result.comparison(of: $0, with: live.previous, called: .last) }
        self.voteAddress = vote == .open && !publication.isClosed ? voteAddress : nil
        isUnprotected = sprint.policy == .immediate
        let isWaiting = vote == .voted && !publication.isClosed
        hasVoted = isWaiting
        title = words.text(isWaiting ? "live.thanks" : "live.closed")
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
        look = Self.look(after: live, team: team, hasFeedbackBefore: cards.feedback != nil, words: words)
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
        after live: LiveSprint, team: Team, hasFeedbackBefore: Bool, words: LocalizedTexts
    ) -> MessagePage.Link {
        func link(_ sprint: Sprint, _ text: String) -> MessagePage.Link {
            MessagePage.Link(address: .sprint(sprint.label, of: team.id), label: text)
        }
        if live.current.isClosed, live.current.happiness != nil {
            return link(live.current.sprint, words.text("live.lookAtResult"))
        }
        if hasFeedbackBefore, let previous = live.previous {
            return link(previous.sprint, words.text("live.lookAtSprint"))
        }
        return MessagePage.Link(address: .actions(of: team.id), label: words.text("live.lookAtActions"))
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
