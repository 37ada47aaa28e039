import Commitments
import Domain
import HTTPTypes
import Hummingbird
import Services

/// Signs ballot papers for members, and casts the ballots that come with one.
struct SealedBallotController: Sendable {
    let ballots: BallotService
    let keys: BallotKeyService

    /// A public ballot key. The same bytes for everyone, with and without a login.
    private struct KeyResponse: Encodable {
        let id: String
        /// SubjectPublicKeyInfo in DER, as Base64URL.
        let publicKey: String

        init(_ key: BallotKey) {
            id = key.id.description
            publicKey = key.publicKey.base64URL
        }
    }

    private struct PaperRequestBody: Decodable {
        /// Base64URL.
        let blindedMessage: String
    }

    private struct SealedBallotBody: Decodable {
        /// Base64URL, as are `paper` and `signature`.
        let key: String
        let paper: String
        let signature: String
        let happiness: Double
        let feedback: String?
        /// Base64URL.
        let randomness: String?
    }

    /// `GET /api/v1/sprint-ballot-keys/{team}/{year}/{number}`: without a login, so that the server does not know for whom
    /// it is.
    func sprintKey(_ request: Request, context: AppRequestContext) async throws -> Response {
        guard let team = context.parameters.get("team"), let teamID = Team.ID(team),
            let year = context.parameters.get("year"), let number = context.parameters.get("number"),
            let label = SprintLabel("\(year)/\(number)")
        else { throw AppError.noSuchBallotKey }
        return try JSONBody.response(KeyResponse(try await ballots.publicBallotKey(of: teamID, for: label)))
    }

    /// `GET /api/v1/teams/{team}/sprints/{year}/{number}/ballot-key`, for clients of version 0.1.0
    func key(_ request: Request, context: AppRequestContext) async throws -> Response {
        let member = try context.requirePrincipal()
        let key = try await ballots.ballotKey(for: member, in: try context.teamID(), for: try context.sprintLabel())
        return try JSONBody.response(KeyResponse(key))
    }

    /// `GET /api/v1/ballot-keys/{key}`, for clients of version 0.1.0
    func publicKey(_ request: Request, context: AppRequestContext) async throws -> Response {
        guard let id = context.parameters.get("key").flatMap(BallotKey.ID.init) else { throw AppError.noSuchBallotKey }
        var response = try JSONBody.response(KeyResponse(try await keys.key(id: id)))
        // Its content follows from its address.
        response.headers[.cacheControl] = "public, max-age=31536000, immutable"
        return response
    }

    /// `POST /api/v1/teams/{team}/sprints/{year}/{number}/ballot-papers`
    func issue(_ request: Request, context: AppRequestContext) async throws -> Response {
        let voter = try context.requirePrincipal()
        try await ballots.requireMembership(of: voter.userID, in: try context.teamID())
        let body = try await request.json(as: PaperRequestBody.self)
        guard let blinded = [UInt8](base64URL: body.blindedMessage), blinded.count == BallotKey.signatureLength else {
            throw AppError(
                .unprocessable, "blindedMessage must have \(BallotKey.signatureLength) bytes, as Base64URL.",
                reason: .blindedMessageNotValid)
        }
        let signature = try await ballots.issuePaper(
            to: voter, in: try context.teamID(), for: try context.sprintLabel(), blindedMessage: blinded)
        return try JSONBody.response(["blindSignature": signature.base64URL], status: .created)
    }

    /// `POST /api/v1/ballots`
    func cast(_ request: Request, context: AppRequestContext) async throws -> Response {
        // A client that sends them by mistake would tell who it is.
        guard request.headers[.authorization] == nil, request.headers[.cookie] == nil else {
            throw AppError(
                .malformed, "Send a sealed ballot without a token and without cookies: they say who you are.",
                reason: .ballotWithLogIn)
        }
        let body = try await request.json(as: SealedBallotBody.self)
        guard let id = BallotKey.ID(body.key) else { throw AppError.noSuchBallotKey }
        guard let paper = [UInt8](base64URL: body.paper).flatMap(BallotPaper.init),
            let signature = [UInt8](base64URL: body.signature)
        else {
            throw AppError(
                .unprocessable, "paper must have \(BallotPaper.length) bytes, and signature must be Base64URL.",
                reason: .ballotPaperNotValid)
        }
        try await ballots.castSealed(
            paper, signature: signature, keyID: id, happiness: try Happiness(body.happiness),
            feedback: try body.feedback.flatMap { try FeedbackText($0) },
            randomness: try body.randomness.map(Self.randomness))
        return try JSONBody.response(["counted": true], status: .created)
    }

    private static func randomness(_ text: String) throws -> BlindingFactor {
        guard let randomness = [UInt8](base64URL: text).flatMap({ BlindingFactor($0) }), randomness != .zero else {
            throw AppError(
                .unprocessable,
                "randomness must have \(BlindingFactor.length) bytes, as Base64URL, and be above 0 and below P-256’s order.",
                reason: .randomnessNotValid)
        }
        return randomness
    }
}
