import Foundation
import Shared

/// The team now: its value, what that can carry, and the way to the vote.
struct LivePage: Page {
    static let template = "live"

    /// Where `live.js` hears of publications.
    let events: String
    /// The team's publication number when the page was made, or an earlier one.
    let number: Int
    /// Of the sprint.
    let label: String
    let dates: String
    /// How long it still runs; `nil` once it takes no votes any more.
    let rest: String?
    let face: Face
    /// `7.4`; `nil` while nothing is published.
    let value: String?
    /// What the number says, or why there is none: sentences.
    let summary: [String]
    let range: Range?
    /// How the sprint compares with the one before.
    let comparison: String?
    /// Where to vote, while there is a vote to give.
    let voteAddress: String?
    /// Whether results show who voted how to whoever looks closely.
    let isUnprotected: Bool
    /// Whether the viewer has voted; `false` once the sprint is closed, for who has is not kept.
    let hasVoted: Bool
    /// What comes next for who has no vote to give.
    let next: String

    /// Where the value can still end up: positions on a line of 1,000 from 0 to 10.
    struct Range: Sendable {
        let start: Int
        let length: Int
        let mark: Int
        /// In words, for those who do not see the line.
        let text: String
    }

    /// - Parameters:
    ///   - live: published states only: nothing on the page may come from anything else.
    ///   - voteAddress: for who has a vote to give.
    init(
        _ live: LiveSprint, team: Team, hasVoted: Bool, voteAddress: String, words: PageWords, now: Date
    ) {
        let publication = live.current
        let sprint = publication.sprint
        let sprintWords = SprintWords(words: words, zone: team.settings.zone)
        let possible = PossibleMean(publication, memberCount: team.memberCount)
        let before = live.previous.flatMap { PossibleMean($0, memberCount: team.memberCount) }
        events = "/api/v1/teams/\(team.id)/events"
        number = live.number
        label = sprint.label.description
        dates = sprintWords.dates(of: sprint)
        rest = publication.isClosed ? nil : sprintWords.rest(of: sprint, at: now)
        face = Face(publication.happiness)
        value = publication.happiness.map(words.happiness)
        let result = ResultWords(words: words, publication: publication, memberCount: team.memberCount)
        summary = result.summary(possible)
        range = possible.flatMap { $0.missing > 0 ? Range($0, text: result.range($0)) : nil }
        comparison = possible.flatMap { now in before.map { result.comparison(of: now, with: $0) } }
        self.voteAddress = hasVoted || publication.isClosed ? nil : voteAddress
        isUnprotected = sprint.policy == .immediate
        self.hasVoted = hasVoted && !publication.isClosed
        next = words.text("live.next", ["day": sprintWords.next(after: sprint)])
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
