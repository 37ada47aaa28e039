import Domain
import Foundation
import Hummingbird
import NIOCore
import Services

/// Casts ballots.
struct BallotController: Sendable {
    let ballots: BallotService
    let authenticator: Authenticator

    private struct BallotRequest: Decodable {
        let happiness: Double
        let feedback: String?
        /// Validates the ballot without storing it, so that programs can test their requests.
        let validateOnly: Bool?
    }

    /// `POST /api/v1/teams/{team}/sprints/{year}/{number}/ballots`
    func cast(_ request: Request, context: AppRequestContext) async throws -> Response {
        let voter = try context.requirePrincipal()
        do {
            return try await cast(request, context: context, by: voter)
        } catch let rejection as AppError where rejection.code != .unavailable {
            // The commit has checked session and membership for ballots that reached it. A caller who is logged out, or
            // not in the team, must not learn why the others were rejected.
            try await authenticator.requireSession(of: voter)
            try await ballots.requireMembership(of: voter.userID, in: try context.teamID())
            throw rejection
        }
    }

    private func cast(_ request: Request, context: AppRequestContext, by voter: Principal) async throws -> Response {
        let teamID = try context.teamID()
        let label = try context.sprintLabel()
        let body = try await request.json(as: BallotRequest.self)
        let happiness = try Happiness(body.happiness)
        let feedback = try body.feedback.flatMap { try FeedbackText($0) }
        if body.validateOnly == true {
            try await authenticator.requireSession(of: voter)
            try await ballots.validate(by: voter, in: teamID, for: .label(label))
            return Self.response(.ok, #"{"counted":false}"#)
        }
        try await ballots.cast(by: voter, in: teamID, for: .label(label), happiness: happiness, feedback: feedback)
        return Self.response(.created, #"{"counted":true}"#)
    }

    private static func response(_ status: HTTPResponse.Status, _ text: StaticString) -> Response {
        Response(
            status: status, headers: [.contentType: JSONBody.mediaType, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(staticString: text)))
    }
}
