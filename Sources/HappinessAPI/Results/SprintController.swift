import Commitments
import Domain
import Foundation
import Hummingbird
import Services

/// One sprint: the running one, or any by label.
struct SprintController: Sendable {
    let publications: PublicationService
    let liveSprints: LiveSprintCache
    let ballots: BallotService

    /// Feedback texts per page; `feedbackAfter` requests the next one.
    static let feedbackPage = 200

    /// `GET /api/v1/teams/{team}/sprints/current`
    func current(_ request: Request, context: AppRequestContext) async throws -> Response {
        let voter = try context.requirePrincipal()
        let teamID = try context.teamID()
        try await publications.requireMembership(of: voter.userID, in: teamID)
        let publication = try await liveSprints.live(of: teamID).current
        let vote = try await ballots.voteState(of: voter.userID, in: publication.sprint.key)
        return try JSONBody.response(CurrentSprintResponse(sprint: SprintResponse(publication), vote: vote))
    }

    /// `GET /api/v1/teams/{team}/sprints/{year}/{number}`, with distribution and feedback.
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        let member = try context.requirePrincipal()
        let teamID = try context.teamID()
        let membership = try await publications.requireMembership(of: member.userID, in: teamID)
        let publication = try await publications.publication(of: teamID, label: try context.sprintLabel())
        var feedback: [Feedback]?
        if try await publications.mayReadFeedback(of: publication.sprint, membership) {
            let after = try request.query("feedbackAfter", otherwise: "feedbackAfter isn’t a feedback id.") {
                Feedback.ID($0)
            }
            feedback = try await publications.feedback(
                in: publication, for: membership, after: after, limit: Self.feedbackPage)
        }
        return try JSONBody.response(SprintDetailResponse(sprint: SprintResponse(publication), feedback: feedback))
    }

    /// `GET /api/v1/teams/{team}/sprints/{year}/{number}/count`
    func count(_ request: Request, context: AppRequestContext) async throws -> Response {
        let member = try context.requirePrincipal()
        let teamID = try context.teamID()
        try await publications.requireMembership(of: member.userID, in: teamID)
        let count = try await publications.count(of: teamID, label: try context.sprintLabel())
        let token = publications.countToken(of: count.publication.sprint.key)
        return try JSONBody.response(CountResponse(count, token: token))
    }

    /// `GET /api/v1/counts/{team}/{year}/{number}/{token}`
    ///
    /// Needs no login: page and command do not say who they are, so it is harder to show a member a list of their own.
    /// The address is the permission.
    func list(_ request: Request, context: AppRequestContext) async throws -> Response {
        guard let teamID = context.parameters.get("team").flatMap({ Team.ID($0) }),
            let year = context.parameters.get("year"), let number = context.parameters.get("number"),
            let label = SprintLabel("\(year)/\(number)"), let token = context.parameters.get("token")
        else { throw AppError.noSuchCount }
        return try JSONBody.response(CountList(try await publications.count(of: teamID, label: label, token: token)))
    }
}

/// The count of a closed sprint, for a member.
private struct CountResponse: Encodable {
    /// The path of the list that is the same for everybody.
    let address: String
    let votes: Int
    /// Of the values, in tenths.
    let sum: Int
    /// Base64URL.
    let randomness: String
    /// Base64URL, in ascending order of the bytes.
    let commitments: [String]
    let members: Int
    @ExplicitNull var papers: Papers?

    struct Papers: Encodable {
        let issued: Int
        let counted: Int
        /// Base64URL.
        let spent: [String]
    }

    init(_ count: PublishedCount, token: CountToken) {
        let publication = count.publication
        address = SitePath.count(publication.sprint.label, of: publication.sprint.teamID, token).path
        votes = publication.votes
        sum = publication.sumInTenths
        randomness = count.randomness.bytes.base64URL
        commitments = count.commitments.map(\.bytes.base64URL)
        members = publication.eligible ?? publication.votes
        if let papers = publication.papers, let spent = count.spentPapers {
            self.papers = Papers(issued: papers.issued, counted: papers.spent, spent: spent.map(\.hash.base64URL))
        }
    }
}

/// The count of a closed sprint, for anyone who has its address. `docs/count.md` says how its code is computed.
private struct CountList: Encodable {
    let team: String
    let sprint: String
    let votes: Int
    /// Of the values, in tenths.
    let sum: Int
    /// Base64URL, like all bytes here.
    let randomness: String
    let members: Int
    /// SubjectPublicKeyInfo of the ballot key; `null` if the sprint has none.
    @ExplicitNull var key: String?
    /// `null` if their number would single out someone.
    @ExplicitNull var papers: Papers?
    /// In ascending order of the bytes.
    let commitments: [String]

    struct Papers: Encodable {
        let issued: Int
        /// In ascending order of their hashes.
        let spent: [Paper]
    }

    /// A paper and its signature; only the hash if the paper was spent with version 0.1.0.
    struct Paper: Encodable {
        let paper: String?
        let signature: String?
        let hash: String?

        init(_ spent: SpentPaper) {
            paper = spent.signed?.paper.bytes.base64URL
            signature = spent.signed?.signature.base64URL
            hash = spent.signed == nil ? spent.hash.base64URL : nil
        }
    }

    init(_ count: PublishedCount) {
        let publication = count.publication
        team = publication.sprint.teamID.description
        sprint = publication.sprint.label.description
        votes = publication.votes
        sum = publication.sumInTenths
        randomness = count.randomness.bytes.base64URL
        members = publication.eligible ?? publication.votes
        commitments = count.commitments.map(\.bytes.base64URL)
        key = count.ballotKey?.publicKey.base64URL
        if let papers = publication.papers, let spent = count.spentPapers {
            self.papers = Papers(issued: papers.issued, spent: spent.map(Paper.init))
        }
    }
}

/// The running sprint and whether the caller can vote.
private struct CurrentSprintResponse: Encodable {
    let sprint: SprintResponse
    let vote: BallotService.VoteState
    /// Of version 0.1.0, and true in a closed sprint too, whether or not the caller has voted.
    let hasVoted: Bool

    init(sprint: SprintResponse, vote: BallotService.VoteState) {
        self.sprint = sprint
        self.vote = vote
        hasVoted = vote != .open
    }
}

/// A sprint with its feedback.
private struct SprintDetailResponse: Encodable {
    let sprint: SprintResponse
    /// In random order; `null` if the caller may not read it.
    @ExplicitNull var feedback: [FeedbackResponse]?
    /// Value for `feedbackAfter`; `null` on the last page.
    @ExplicitNull var nextFeedbackAfter: String?

    init(sprint: SprintResponse, feedback: [Feedback]?) {
        self.sprint = sprint
        self.feedback = feedback?.map(FeedbackResponse.init)
        nextFeedbackAfter = feedback?.count == SprintController.feedbackPage ? feedback?.last?.id.description : nil
    }
}

private struct FeedbackResponse: Encodable {
    let id: String
    let text: String

    init(_ feedback: Feedback) {
        id = feedback.id.description
        text = feedback.text
    }
}
