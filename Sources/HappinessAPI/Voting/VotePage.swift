import Domain
import Foundation
import Services

/// Where members vote. No form contains the fields: `vote.js` seals the ballot and sends it. While that script is late or
/// missing, nothing can be sent.
struct VotePage: Page {
    static let template = "vote"

    /// The path of this page, with which that of the form for another reminder begins.
    let address: SitePath
    /// Path of the form of a plain ballot; `nil` if only sealed ballots are counted.
    let plain: SitePath?
    let teamID: String
    /// ISO 8601. After this instant an unsent ballot is useless.
    let closes: String
    let ballot: BallotFields
    let face: Face
    /// Names of the other members whom the viewer may see, one per line; empty for a team of more than `maximumNames`.
    /// The script warns if the text contains one.
    let names: String
    /// The names of the viewer, one per line.
    let ownNames: String
    /// Label of the button for another reminder; `nil` if that is not possible.
    let remindLater: String?
    /// What the script says if it cannot send the ballot, by the results of `unsent-vote.js`.
    let refusals: [Rejection]

    /// A sentence for one result.
    struct Rejection: Sendable {
        /// In the form of a `data` attribute.
        let name: String
        let text: String
    }

    /// That many names of average length take less than 12 KB.
    static let maximumNames = 600

    init(
        _ sprint: Sprint, team: Team, ownNames: [String] = [], others: [String] = [], nextReminder: CalendarDay? = nil,
        oneAction: Action? = nil, words: LocalizedTexts, now: Date
    ) {
        address = .vote(of: team.id)
        plain = sprint.ballots == .sealed ? nil : .plainVote(of: team.id)
        teamID = team.id.description
        closes = sprint.closes.formatted(.iso8601)
        ballot = BallotFields(sprint, team: team, oneAction: oneAction, words: words, now: now)
        face = Face(nil)
        self.ownNames = ownNames.joined(separator: "\n")
        names = others.count <= Self.maximumNames ? others.joined(separator: "\n") : ""
        remindLater = nextReminder.map { VoteLaterPage.label($0, in: team, words: words, now: now) }
        refusals = [
            Rejection(name: "already-voted", text: words.text("errors.already-voted")),
            Rejection(name: "mailbox-voted", text: words.text("errors.mailbox-voted")),
            Rejection(name: "sprint-over", text: words.text("vote.sprintOver")),
            Rejection(name: "refused", text: words.text("vote.refused")),
            Rejection(name: "unreachable", text: words.text("vote.unreachable")),
            Rejection(name: "earlier-waits", text: words.text("vote.earlierWaits")),
            Rejection(name: "logged-out", text: words.text("errors.form-not-ours")),
            Rejection(name: "key-differs", text: words.text("vote.keyDiffers")),
        ]
    }
}

/// The form of a plain ballot, for browsers that cannot seal one. It has no script.
struct PlainVotePage: Page {
    static let template = "vote-plain"

    /// The path that receives the form.
    let address: SitePath
    /// The path of the page that seals a ballot, for browsers that can.
    let sealed: SitePath
    /// Who could find out how a member voted.
    let trust: SitePath
    let ballot: BallotFields
    /// Why the ballot was rejected.
    let problem: FormProblem?

    /// The user's input in a ballot that was rejected.
    struct Draft: Sendable {
        var happiness = ""
        var feedback = ""
        var problem: FormProblem?
    }

    init(
        _ sprint: Sprint, team: Team, draft: Draft = Draft(), oneAction: Action? = nil, words: LocalizedTexts, now: Date
    ) {
        address = .plainVote(of: team.id)
        sealed = .vote(of: team.id)
        trust = .trust(of: team.id)
        ballot = BallotFields(
            sprint, team: team, happiness: draft.happiness, feedback: draft.feedback, oneAction: oneAction,
            words: words, now: now)
        problem = draft.problem
    }
}

/// What both pages show: the values to choose from, the text, and what becomes of them.
struct BallotFields: Sendable {
    /// Path of the team's live view.
    let back: SitePath
    let teamName: String
    /// Label of the sprint in which the ballot is cast.
    let label: String
    let dates: String
    let rest: String
    let choices: [Choice]
    /// As typed before.
    let feedback: String
    let maximumLength: Int
    /// How answers are protected, and who reads them.
    let rules: [String]
    /// Whether the team's policy is `immediate`, which gives no protection.
    let isUnprotected: Bool
    /// The title of an open action, shown below the ballot; `nil` if there is none. It has no count: a count that moves
    /// while people vote would say when they do.
    let oneAction: String?

    /// A value to choose.
    struct Choice: Sendable {
        let value: Int
        /// The meaning of the value.
        let mood: String
        let isChosen: Bool
    }

    init(
        _ sprint: Sprint, team: Team, happiness: String = "", feedback: String = "", oneAction: Action? = nil,
        words: LocalizedTexts, now: Date
    ) {
        let sprintWords = SprintTexts(words: words, zone: team.settings.zone)
        back = .live(of: team.id)
        teamName = team.name
        label = sprint.label.description
        dates = sprintWords.datesWithYear(of: sprint)
        rest = sprintWords.rest(of: sprint, at: now)
        choices = (0...10).map { value in
            Choice(value: value, mood: Self.mood(of: value, words), isChosen: value == Int(happiness))
        }
        self.feedback = feedback
        maximumLength = FeedbackText.maximumLength
        rules = Self.rules(of: sprint, words)
        isUnprotected = sprint.policy == .immediate
        self.oneAction = oneAction?.content.title
    }

    private static func mood(of value: Int, _ words: LocalizedTexts) -> String {
        switch value {
        case ...1: words.text("vote.awful")
        case 2...3: words.text("vote.bad")
        case 4...5: words.text("vote.soSo")
        case 6...7: words.text("vote.good")
        case 8...9: words.text("vote.veryGood")
        default: words.text("vote.best")
        }
    }

    private static func rules(of sprint: Sprint, _ words: LocalizedTexts) -> [String] {
        let threshold = ["k": String(sprint.threshold)]
        let readers =
            switch sprint.feedbackReaders {
            case .team: words.text("vote.teamReads")
            case .leads: words.text("vote.leadsRead")
            }
        switch sprint.policy {
        case .immediate: return [words.text("vote.unprotected"), readers]
        case .live: return [words.text("vote.noName"), words.text("vote.inGroups", threshold), readers]
        case .close: return [words.text("vote.noName"), words.text("vote.atTheEnd", threshold), readers]
        }
    }
}

/// A ballot that was not cast, and its feedback, so that no text is lost.
struct VoteNotCountedPage: Page {
    static let template = "vote-not-counted"

    /// Why it was not cast.
    let problem: String
    /// The feedback; `nil` if there is none.
    let feedback: String?
    /// A link to continue.
    let next: MessagePage.Link

    init(problem: String, feedback: String, next: MessagePage.Link) {
        self.problem = problem
        self.feedback = feedback.isEmpty ? nil : feedback
        self.next = next
    }
}
