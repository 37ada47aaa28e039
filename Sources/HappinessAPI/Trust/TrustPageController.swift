import Domain
import Hummingbird
import Services

/// Shows whom one has to trust, to everyone. A member sees the rules of their team beside it.
///
/// Neither page notes the use of a session: the vote page links here, so a visit would hint at a vote.
struct TrustPageController: Sendable {
    let pages: PageRenderer
    let browsers: BrowserSessions
    let accounts: AccountService
    let teams: TeamService
    let sprints: SprintService
    let installation: TrustInstallation

    /// `GET /trust?team=`: without a team, or with one that the user is not in, it is their default team.
    func page(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await pages.renderingErrors(PageFrame(request)) {
            let principal = try await browsers.principal(of: request, notesUse: false)
            var user: User?
            var mine: [Team] = []
            if let principal {
                user = try await accounts.find(principal)
                mine = try await teams.list(of: principal).map(\.team)
            }
            let wanted = request.query("team")
            let team =
                mine.first { $0.id.description == wanted } ?? mine.first { $0.id == user?.defaultTeamID } ?? mine.first
            var sprint: Sprint?
            if let team { sprint = try await sprints.runningSprint(of: team.id) }
            let frame = PageFrame(request, userLocale: user?.locale)
            let page = TrustPage(
                installation, webAppHash: pages.assets.releaseHash, team: team, sprint: sprint,
                others: mine.filter { $0.id != team?.id }, words: pages.words(frame))
            return try pages.response(page, in: frame)
        }
    }

    /// `GET /trust/notice`
    func notice(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await pages.renderingErrors(PageFrame(request)) {
            var user: User?
            if let principal = try await browsers.principal(of: request, notesUse: false) {
                user = try await accounts.find(principal)
            }
            let frame = PageFrame(request, userLocale: user?.locale)
            let page = PrivacyNoticePage(
                installation, texts: pages.texts, language: frame.language.mailLocale,
                isAdministrator: user?.role == .admin, words: pages.words(frame))
            return try pages.response(page, in: frame)
        }
    }
}
