import Domain
import Foundation
import Hummingbird
import Services
import Storage

/// `/happiness/*` as the first clients call it: an adapter over the services that every other route uses.
struct ClassicHappinessController: Sendable {
    let teams: ClassicTeams
    let ballots: BallotService
    let publications: PublicationService
    let liveSprints: LiveSprintCache
    let sprintService: SprintService
    let answers: AnswerLanguage

    /// The message the first clients expect for an invalid value. The same in every language, as they may compare it.
    static let incorrectHappiness = AppError(
        .unprocessable, Sentence(verbatim: "Incorrect Happiness"), reason: .happinessOutOfRange)
    /// The same in every language, too.
    private static let alreadyVoted = AppError(
        .conflict, Sentence(verbatim: "Already voted!"), reason: .alreadyVoted)
    /// Everyone has voted. The caller may be a newcomer who has not, and nobody can tell.
    private static let sprintOver = AppError(.conflict, "This sprint is over.", reason: .sprintComplete)

    /// Why a member can no longer vote in a sprint that goes on; the first clients know one message for it.
    private static let finalReasons: Set<AppError.Reason> = [.alreadyVoted, .mailboxVoted]
    /// Why a value is not valid.
    static let happinessReasons: Set<AppError.Reason> = [
        .happinessNotANumber, .happinessOutOfRange, .happinessTooPrecise,
    ]

    private struct TrackRequest: Decodable {
        let happiness: ClassicHappiness
        let sprint: String
        let feedback: String?
    }

    /// `POST /happiness/track`
    func track(_ request: Request, context: AppRequestContext) async throws -> Response {
        let voter = try context.requirePrincipal()
        do {
            let body = try await ClassicBody.decode(TrackRequest.self, from: request)
            let feedback = try body.feedback.flatMap { try FeedbackText($0) }
            let team = try await teams.defaultTeam(of: voter)
            try await ballots.cast(
                by: voter, in: team.id, for: .classicLabel(body.sprint), happiness: body.happiness.value,
                feedback: feedback)
        } catch let error as AppError where Self.happinessReasons.contains(error.reason) {
            throw Self.incorrectHappiness
        } catch let error as AppError where Self.finalReasons.contains(error.reason) {
            throw Self.alreadyVoted
        } catch let error as AppError where error.reason == .sprintComplete {
            throw Self.sprintOver
        }
        return try await answers.response(Sentence("Your happiness was saved."), to: request, of: voter)
    }

    /// `GET /happiness/hasVoted?sprint=`; true for everyone once the sprint is closed, so that the first clients do not
    /// offer a vote.
    func hasVoted(_ request: Request, context: AppRequestContext) async throws -> Response {
        let voter = try context.requirePrincipal()
        guard let text = request.query("sprint") else {
            throw AppError(.malformed, "The query parameter sprint is missing.")
        }
        let team = try await teams.defaultTeam(of: voter)
        let sprint: Sprint
        do {
            sprint = try await ballots.openSprint(.classicLabel(text), of: team.id)
        } catch let error as AppError where error.reason == .sprintNotOpen {
            guard let label = SprintLabel(text),
                let past = try await sprintService.find(label, of: team.id)
            else { return try JSONBody.response(["voted": false]) }
            sprint = past
        }
        let voted = try await ballots.hasVoted(voter.userID, in: sprint.key)
        return try JSONBody.response(["voted": voted])
    }

    private struct CurrentSprintResponse: Encodable {
        let message: String
        let sprint: String
        let start: Date
        let end: Date
        let voted: Bool
        let threshold: Int
        let policy: PublicationPolicy
        let happiness: Double?
        let votes: Int?
    }

    /// `GET /happiness/currentSprint`
    func currentSprint(_ request: Request, context: AppRequestContext) async throws -> Response {
        let voter = try context.requirePrincipal()
        let team = try await teams.defaultTeam(of: voter)
        let publication = try await liveSprints.live(of: team.id).current
        let sprint = publication.sprint
        let words = await answers.words(for: request, of: voter)
        return try JSONBody.response(
            CurrentSprintResponse(
                message: words.text(for: Sentence("Sprint \(sprint.label)")), sprint: sprint.label.description,
                start: sprint.start, end: sprint.end, voted: try await ballots.hasVoted(voter.userID, in: sprint.key),
                threshold: sprint.threshold, policy: sprint.policy, happiness: publication.happiness,
                votes: publication.isPublished ? publication.votes : nil), in: words)
    }

    /// `GET /happiness/sprints?sprintyear=`; defaults to the current year.
    ///
    /// A year without published sprints is 404: the first iOS client crashes on an empty array.
    func sprints(_ request: Request, context: AppRequestContext) async throws -> Response {
        let member = try context.requirePrincipal()
        let team = try await teams.defaultTeam(of: member)
        let membership = try await publications.requireMembership(of: member.userID, in: team.id)
        let year: Int
        if let text = request.query("sprintyear") {
            year = try Request.year(text, named: "sprintyear")
        } else {
            year = try await liveSprints.live(of: team.id).current.sprint.label.year
        }
        let published = try await publications.publications(of: team.id, matching: .year(year)).filter(\.isPublished)
        guard !published.isEmpty else {
            throw AppError(.notFound, "There are no results for \(year) yet.", reason: .nothingPublished)
        }
        let feedback = try await publications.feedback(in: published, for: membership)
        let sprints = published.map { publication in
            ClassicSprint(publication, feedback: feedback[publication.sprint.start] ?? [], zone: team.settings.zone)
        }
        return try JSONBody.response(["sprints": sprints])
    }
}

/// A happiness value: a number, or a string holding one in a form.
private struct ClassicHappiness: Decodable {
    let value: Happiness

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            value = try Happiness(text: text)
        } else if let number = try? container.decode(Double.self) {
            value = try Happiness(number)
        } else {
            throw ClassicHappinessController.incorrectHappiness
        }
    }
}

/// A sprint in the format of the first clients. It does not mark imported results: these clients have no place to show
/// a mark, and their format does not change.
private struct ClassicSprint: Encodable {
    let sprint: String
    let happiness: Double
    let votes: Int
    let happinesssum: Double
    /// The part of the label before the slash.
    let sprintyear: Int
    /// 0...11: the month in which the sprint starts, in the team's time zone.
    let month: Int
    let feedbacks: [String]

    init(_ publication: Publication, feedback: [Feedback], zone: TimeZone) {
        let sprint = publication.sprint
        self.sprint = sprint.label.description
        happiness = publication.happiness ?? 0
        votes = publication.votes
        happinesssum = Double(publication.sumInTenths) / 10
        sprintyear = sprint.label.year
        month = CalendarDay(instant: sprint.start, in: zone).month - 1
        feedbacks = feedback.map(\.text)
    }
}
