import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Shared

/// A team's history: JSON, CSV and chart, each as finished bytes from a cache that follows the team's publications, and
/// for the chart behind the log-in the changes of its actions too.
struct HistoryController: Sendable {
    private let publications: PublicationService
    private let sprints: SprintService
    private let stores: Stores
    private let marks: TeamMarksCache
    private let cache: PublicationCache<Representation, CachedAnswer>
    private let sharedHistories: PublicationCache<WholeHistory, SharedHistory>
    private let sharedCharts: SharedCharts

    init(
        publications: PublicationService, sprints: SprintService, marks: TeamMarksCache, stores: Stores,
        clock: WallClock
    ) {
        self.marks = marks
        self.publications = publications
        self.sprints = sprints
        self.stores = stores
        cache = PublicationCache(teams: stores.teams, clock: clock)
        sharedHistories = PublicationCache(teams: stores.teams, clock: clock)
        sharedCharts = SharedCharts(clock: clock)
    }

    /// What was asked for, as the key of its bytes.
    private enum Representation: Hashable {
        case json(SprintFilter)
        case csv(SprintFilter)
        /// Under the number of changes of the team's actions, which move no publication number.
        case chart(SprintFilter, HistoryChart.Appearance, ChartLanguage, marks: Int)
    }

    /// The one thing that is kept of a team for its share link.
    private enum WholeHistory {
        case published
    }

    /// `GET /api/v1/teams/{team}/sprints`, of a `year`, or from a sprint `from` to a sprint `to`, or all.
    func list(_ request: Request, context: AppRequestContext) async throws -> Response {
        let teamID = try await memberTeam(context)
        let filter = try request.sprintFilter()
        return try await answer(.json(filter), of: teamID, to: request, mediaType: JSONBody.mediaType) {
            let sprints = try await publications.publications(of: teamID, matching: filter).map(SprintResponse.init)
            return try JSONBody.bytes(of: ["sprints": sprints])
        }
    }

    /// `GET /api/v1/teams/{team}/history.csv`
    func csv(_ request: Request, context: AppRequestContext) async throws -> Response {
        let teamID = try await memberTeam(context)
        let filter = try request.sprintFilter()
        var response = try await answer(.csv(filter), of: teamID, to: request, mediaType: "text/csv; charset=utf-8") {
            ByteBuffer(string: HistoryCSV.text(points: try await points(of: teamID, matching: filter)))
        }
        response.headers[.contentDisposition] = #"attachment; filename="history.csv""#
        return response
    }

    /// `GET /api/v1/teams/{team}/chart.svg`
    func chart(_ request: Request, context: AppRequestContext) async throws -> Response {
        let teamID = try await memberTeam(context)
        let filter = try request.sprintFilter()
        let (appearance, language) = try chartLook(request)
        let begun = try await marks.marks(of: teamID)
        let response = try await answer(
            .chart(filter, appearance, language, marks: begun.number), of: teamID, to: request,
            mediaType: "image/svg+xml"
        ) {
            guard let team = try await stores.teams.find(id: teamID) else { throw AppError.noSuchTeam }
            let chart = HistoryChart(
                teamName: team.name, points: try await points(of: teamID, matching: filter), marks: begun.marks,
                appearance: appearance, language: language.rawValue)
            return ByteBuffer(string: chart.svg())
        }
        return pictureResponse(response)
    }

    /// `GET /api/v1/shared/{token}/chart.svg`: for a wiki page or a wallboard, without logging in.
    func sharedChart(_ request: Request, context: AppRequestContext) async throws -> Response {
        // An unknown token and one that was revoked look the same.
        guard let token = context.parameters.get("token"),
            let team = try await stores.teams.find(shareTokenHash: SecureBytes.sha256(Data(token.utf8)))
        else { throw AppError(.notFound, "This link is not valid any more.", reason: "no-such-link") }
        let filter = try request.sprintFilter()
        let (appearance, language) = try chartLook(request)
        _ = try await sprints.runningSprint(of: team.id)
        let history = try await sharedHistories.value(of: team.id, key: .published) { _ in
            SharedHistory(teamName: team.name, points: try await points(of: team.id, matching: .all))
        }
        let chart = await sharedCharts.chart(
            of: history, matching: filter, appearance: appearance, language: language)
        return pictureResponse(chart.response(to: request))
    }

    private func chartLook(_ request: Request) throws -> (HistoryChart.Appearance, ChartLanguage) {
        (
            try request.choice("appearance", default: HistoryChart.Appearance.auto),
            try request.choice("language", default: ChartLanguage.en)
        )
    }

    private func pictureResponse(_ response: Response) -> Response {
        var response = response
        response.headers[.contentSecurityPolicy] = SecurityHeadersMiddleware.picture
        return response
    }

    private func memberTeam(_ context: AppRequestContext) async throws -> Team.ID {
        let teamID = try context.teamID()
        try await publications.requireMembership(of: try context.requirePrincipal().userID, in: teamID)
        return teamID
    }

    private func points(of teamID: Team.ID, matching filter: SprintFilter) async throws -> [HistoryPoint] {
        try await publications.publications(of: teamID, matching: filter).compactMap(\.historyPoint)
    }

    private func answer(
        _ representation: Representation, of teamID: Team.ID, to request: Request, mediaType: String,
        make: () async throws -> ByteBuffer
    ) async throws -> Response {
        // Time alone may end a sprint; whoever asks first closes it, which moves the publication number.
        _ = try await sprints.runningSprint(of: teamID)
        let cached = try await cache.value(of: teamID, key: representation) { _ in
            CachedAnswer(bytes: try await make(), mediaType: mediaType)
        }
        return cached.response(to: request)
    }
}

/// Languages a chart's words come in.
enum ChartLanguage: String, CaseIterable {
    case en
    case de
}

/// Finished bytes with the tag that names them.
struct CachedAnswer: Sendable {
    private let bytes: ByteBuffer
    private let headers: HTTPFields
    private let tag: String

    /// The tag is a hash of the bytes, which hold published states only, so it changes on publication and never on
    /// a ballot.
    init(bytes: ByteBuffer, mediaType: String) {
        self.bytes = bytes
        tag = "\"\(SecureBytes.sha256(bytes.readableBytesView).prefix(16).hexadecimal)\""
        headers = [.contentType: mediaType, .eTag: tag, .cacheControl: "private, no-cache"]
    }

    /// The bytes, or 304 if the client has them (RFC 9110 §13.1.2).
    func response(to request: Request) -> Response {
        if let known = request.headers[.ifNoneMatch], known == "*" || known.contains(tag) {
            return Response(status: .notModified, headers: [.eTag: tag, .cacheControl: "private, no-cache"])
        }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: bytes))
    }
}
