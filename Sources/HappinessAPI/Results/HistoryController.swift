import Domain
import HTTPTypes
import Hummingbird
import NIOCore
import Ports
import Services
import Storage

/// A team's history as JSON, CSV and chart. Encoded responses are cached until the team's publication number changes;
/// the members' chart also depends on changes of the team's actions.
struct HistoryController: Sendable {
    private let publications: PublicationService
    private let sprints: SprintService
    private let teams: TeamService
    private let marks: TeamMarksCache
    private let cache: PublicationCache<Representation, CachedResponse>
    private let shared: SharedResults
    private let texts: TextCatalog
    private let sharedCharts: SharedCharts

    init(
        publications: PublicationService, sprints: SprintService, marks: TeamMarksCache, teams: TeamService,
        shared: SharedResults, texts: TextCatalog, clock: WallClock
    ) {
        self.marks = marks
        self.publications = publications
        self.sprints = sprints
        self.teams = teams
        self.shared = shared
        cache = PublicationCache(publications: publications, clock: clock)
        self.texts = texts
        sharedCharts = SharedCharts(texts: texts, clock: clock)
    }

    /// Cache key: what was requested.
    private enum Representation: Hashable {
        case json(SprintFilter)
        /// The time zone decides on the days. `decimalSign` is of the language of the spreadsheet; `nil` for programs.
        case csv(SprintFilter, timeZone: String, decimalSign: String?)
        /// `marks` is the number of changes of the team's actions, since these do not change the publication number,
        /// and `texts` is `TextCatalog.version`.
        case chart(SprintFilter, HistoryChart.Appearance, MailLocale, marks: Int, texts: Int?)
    }

    /// `GET /api/v1/teams/{team}/sprints`: one `year`, or the sprints `from`...`to`, or all.
    func list(_ request: Request, context: AppRequestContext) async throws -> Response {
        let teamID = try await memberTeam(context)
        let filter = try request.sprintFilter()
        return try await response(.json(filter), of: teamID, to: request, mediaType: JSONBody.mediaType) {
            let sprints = try await publications.publications(of: teamID, matching: filter).map(SprintResponse.init)
            return try JSONBody.bytes(of: ["sprints": sprints])
        }
    }

    /// `GET /api/v1/teams/{team}/history.csv`: as programs read it or, with a `language`, as spreadsheets open it.
    func csv(_ request: Request, context: AppRequestContext) async throws -> Response {
        let teamID = try await memberTeam(context)
        let filter = try request.sprintFilter()
        var language: MailLocale?
        if request.query("language") != nil {
            language = try request.choice("language", default: MailLocale.english)
        }
        guard let team = try await teams.find(id: teamID) else { throw AppError.noSuchTeam }
        let zone = team.settings.zone
        let decimalSign = language.map { texts.words(in: $0).text("calendar.decimalPoint") }
        var response = try await response(
            .csv(filter, timeZone: team.settings.timeZone, decimalSign: decimalSign), of: teamID, to: request,
            mediaType: "text/csv; charset=utf-8"
        ) {
            let points = try await publications.points(of: teamID, matching: filter)
            guard let decimalSign else { return ByteBuffer(string: HistoryCSV.text(points: points, zone: zone)) }
            return ByteBuffer(string: HistoryCSV.spreadsheet(points: points, zone: zone, decimalSign: decimalSign))
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
        let response = try await response(
            .chart(filter, appearance, language, marks: begun.number, texts: texts.version), of: teamID, to: request,
            mediaType: "image/svg+xml"
        ) {
            guard let team = try await teams.find(id: teamID) else { throw AppError.noSuchTeam }
            let chart = HistoryChart(
                teamName: team.name, points: try await publications.points(of: teamID, matching: filter),
                marks: begun.marks, appearance: appearance, words: texts.words(in: language), zone: team.settings.zone)
            return ByteBuffer(string: chart.svg())
        }
        return pictureResponse(response)
    }

    /// `GET /api/v1/shared/{token}/chart.svg`: for a wiki page or a wallboard, without logging in.
    func sharedChart(_ request: Request, context: AppRequestContext) async throws -> Response {
        let history = try await shared.find(token: context.parameters.get("token") ?? "").history
        let filter = try request.sprintFilter()
        let (appearance, language) = try chartLook(request)
        let chart = await sharedCharts.chart(of: history, matching: filter, appearance: appearance, language: language)
        return pictureResponse(chart.response(to: request))
    }

    private func chartLook(_ request: Request) throws -> (HistoryChart.Appearance, MailLocale) {
        (
            try request.choice("appearance", default: HistoryChart.Appearance.auto),
            try request.choice("language", default: MailLocale.english)
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

    private func response(
        _ representation: Representation, of teamID: Team.ID, to request: Request, mediaType: String,
        make: () async throws -> ByteBuffer
    ) async throws -> Response {
        // A sprint may end just because time passes. The first request after that closes it, which changes the
        // publication number.
        _ = try await sprints.runningSprint(of: teamID)
        let cached = try await cache.value(of: teamID, key: representation) { _ in
            CachedResponse(bytes: try await make(), mediaType: mediaType)
        }
        return cached.response(to: request)
    }
}
