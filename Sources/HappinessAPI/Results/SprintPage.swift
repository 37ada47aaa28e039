import Domain
import Foundation
import Services

/// One sprint: its value, the value's uncertainty, the distribution, and the feedback.
struct SprintPage: Page {
    static let template = "sprint"

    let label: String
    let dates: String
    let isRunning: Bool
    let face: Face
    /// `7.4`; `nil` while nothing is published.
    let value: String?
    /// Sentences about the value, or why there is none.
    let summary: [String]
    /// How missing votes could change the value; `nil` if none are missing.
    let range: String?
    /// Comparison with the previous sprint, in one line.
    let change: String?
    /// Sentences about how it comes about.
    let comparison: [String]
    let distribution: Distribution?
    /// Why the distribution is withheld.
    let withheldDistribution: String?
    /// Whether another tool counted it.
    let isImported: Bool
    /// How many votes were sealed; `nil` if none was, or that is withheld.
    let sealed: String?
    /// What the browser needs to check the count; `nil` if there is no final result.
    let count: Count?
    let feedback: FeedbackList
    /// Actions that began in the sprint.
    let actions: [Link]
    let hasActions: Bool
    /// Links to the neighbouring sprints; `nil` at either end.
    let previous: Link?
    let next: Link?
    /// Path of the history.
    let history: SitePath
    let live: LiveRegion

    /// The result that the count must have.
    struct Count: Sendable {
        let team: String
        let sprint: String
        let votes: Int
        /// Not rounded.
        let happiness: Double
        /// What the address of the count ends with.
        let token: String

        fileprivate init?(_ publication: Publication, token: CountToken) {
            guard publication.isClosed, !publication.sprint.isImported, let happiness = publication.happiness else {
                return nil
            }
            team = publication.sprint.teamID.description
            sprint = publication.sprint.label.description
            votes = publication.votes
            self.happiness = happiness
            self.token = token.description
        }
    }

    /// A link to another sprint or an action.
    struct Link: Sendable {
        let address: SitePath
        let label: String
    }

    /// The feedback that the viewer may read.
    struct FeedbackList: Sendable {
        let texts: [Text]
        /// Shown instead of texts: says that there are none, or who may read them.
        let note: String?
        /// Link to the next page.
        let next: SitePath?
        /// Link back to the first page.
        let first: SitePath?

        /// A feedback text.
        struct Text: Sendable {
            let text: String
            /// Path that creates an action from it; `nil` if the viewer may not.
            let newAction: SitePath?
            /// The sprint of the feedback.
            let sprint: String
        }
    }

    /// - Parameters:
    ///   - number: the team's publication number at the time of reading, or an earlier one.
    ///   - feedback: a page of feedback, plus one text if there is another page; `nil` if the viewer may not read it.
    ///   - countToken: what the address of the sprint's count ends with.
    ///   - feedbackDays: for how long it is kept, `nil` for ever.
    ///   - isFirstPage: whether it is the first page of feedback.
    ///   - actions: those that began in the sprint.
    ///   - isLead: whether the viewer may create actions.
    init(
        _ publication: Publication, number: Int, neighbours: SprintNeighbours, feedback: [Feedback]?,
        countToken: CountToken, feedbackDays: Int?, isFirstPage: Bool, actions: [BegunAction], isLead: Bool, team: Team,
        words: LocalizedTexts
    ) {
        let sprint = publication.sprint
        let possible = PossibleMean(publication, memberCount: team.memberCount)
        let result = ResultTexts(words: words, publication: publication, memberCount: team.memberCount)
        let before = neighbours.before.flatMap { $0.sprint.end == sprint.start ? $0 : nil }
        label = sprint.label.description
        dates = SprintTexts(words: words, zone: team.settings.zone).datesWithYear(of: sprint)
        isRunning = !publication.isClosed
        face = Face(publication.happiness)
        value = publication.happiness.map(words.happiness)
        summary = result.summary(possible)
        range = possible.flatMap { $0.missing > 0 ? result.range($0) : nil }
        change = possible.flatMap { result.change(of: $0, since: before) }
        comparison =
            possible.map { possible in
                [
                    result.comparison(of: possible, with: before, called: .before),
                    result.limits(of: possible, since: before),
                ].compactMap(\.self)
            } ?? []
        distribution = publication.distribution.map { Distribution($0, words: words) }
        withheldDistribution = distribution == nil ? Self.whyNoDistribution(publication, words) : nil
        isImported = sprint.isImported
        sealed = Self.sealed(publication, words)
        count = Count(publication, token: countToken)
        let path = SitePath.sprint(sprint.label, of: team.id)
        self.feedback = FeedbackList(
            feedback, days: publication.isClosed ? feedbackDays : nil, isFirstPage: isFirstPage, path: path,
            newAction: isLead ? .newAction(of: team.id) : nil,
            sprint: sprint.label, words: words)
        hasActions = !actions.isEmpty
        self.actions = actions.map { Link(address: .action($0.id, of: $0.teamID), label: $0.title) }
        previous = neighbours.before.map { Link($0, team: team, words: words) }
        next = neighbours.after.map { Link($0, team: team, words: words) }
        history = .history(of: team.id)
        live = LiveRegion(
            teamID: team.id, number: number, text: value.map { words.text("sprint.newValue", ["value": $0]) } ?? "")
    }

    private static func sealed(_ publication: Publication, _ words: LocalizedTexts) -> String? {
        guard let sealed = publication.sealed, sealed > 0 else { return nil }
        guard sealed < publication.votes else { return words.text("sprint.allSealed") }
        return words.text("sprint.sealed", ["sealed": words.number(sealed), "votes": words.number(publication.votes)])
    }

    private static func whyNoDistribution(_ publication: Publication, _ words: LocalizedTexts) -> String {
        if publication.sprint.isImported { return words.text("sprint.distributionImported") }
        if publication.sprint.policy == .live { return words.text("sprint.distributionLive") }
        let least = PublicationState.leastForDistribution
        let values = ["least": String(least)]
        if !publication.isClosed { return words.text("sprint.distributionLater", values) }
        return publication.votes < least
            ? words.text("sprint.distributionTooFew", values) : words.text("sprint.distributionAlike")
    }
}

extension SprintPage.Link {
    fileprivate init(_ publication: Publication, team: Team, words: LocalizedTexts) {
        address = .sprint(publication.sprint.label, of: team.id)
        label = SprintTexts(words: words, zone: team.settings.zone).shortDates(of: publication.sprint)
    }
}

extension SprintPage.FeedbackList {
    fileprivate init(
        _ feedback: [Feedback]?, days: Int?, isFirstPage: Bool, path: SitePath, newAction: SitePath?,
        sprint: SprintLabel, words: LocalizedTexts
    ) {
        let page = feedback?.prefix(SprintPageController.feedbackPage) ?? []
        texts = page.map { Text(text: $0.text, newAction: newAction, sprint: sprint.description) }
        if feedback == nil {
            note = words.text("sprint.leadsRead")
        } else if !page.isEmpty {
            note = nil
        } else if let days {
            note = words.text("sprint.noFeedbackLeft", ["days": String(days)])
        } else {
            note = words.text("sprint.noFeedback")
        }
        let continues = (feedback?.count ?? 0) > SprintPageController.feedbackPage
        next = continues ? page.last.map { path.adding("after", $0.id.description).at("feedback") } : nil
        first = isFirstPage ? nil : path.at("feedback")
    }
}
