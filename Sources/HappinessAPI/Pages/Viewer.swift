import Domain
import Foundation
import Hummingbird
import Services

/// The user on a page behind the login, as the frame shows them: a template reads `viewer.NAME`.
struct Viewer: Sendable {
    /// For scripts that keep something for this user in the browser.
    let id: String
    /// The name that others see.
    let name: String
    /// The name for the login.
    let userName: String
    let email: String
    /// Link to the small picture, or to the default one.
    let pictureLink: String
    /// Included in every form of the page.
    let formToken: String
    /// In order of their names.
    let teams: [TeamLink]
    /// The page's team; `nil` if it has none.
    let team: TeamLink?
    /// The team whose sections the frame links to: `team`, or the default one; `nil` if the user is in no team.
    let place: TeamLink?
    /// Whether the user leads `team`.
    let isLead: Bool
    /// Whether the user manages `place`; the frame then links to its management.
    let managesPlace: Bool
    let isAdmin: Bool
    /// Whether there is another team to switch to.
    let hasSeveralTeams: Bool
    /// Whether this browser can receive notifications, so that the page may offer them.
    let takesMessages: Bool

    /// A link to a team.
    struct TeamLink: Sendable {
        let teamID: Team.ID
        let name: String
        /// The team's live view.
        let address: SitePath
        let isChosen: Bool
    }
}

/// A page behind the login.
struct ViewedPage: Sendable {
    let frame: PageFrame
    let user: User
    /// The page's team; `nil` if it has none.
    let team: VisitedTeam?
}

/// A page behind the login about one of the user's teams.
struct TeamPageFrame: Sendable {
    let frame: PageFrame
    let user: User
    let team: Team
    let membership: Membership
}

/// Identifies the user on pages behind the login.
struct ViewerFinder: Sendable {
    let accounts: AccountService
    let teams: TeamService
    let browsers: BrowserSessions
    let pictures: PictureLinks
    /// Whether this installation sends Web Push.
    let sendsToBrowsers: Bool

    /// The frame of a page, its user, and its team.
    /// - Throws: `AppError`: `unauthenticated` if the account was deleted; `notFound` if the user is not in the team,
    ///   or requests the administration without being an administrator; `forbidden` for a member who does not manage
    ///   the team.
    func frame(_ request: Request, context: AppRequestContext, for audience: PageAudience) async throws -> ViewedPage {
        let principal = try context.requirePrincipal()
        let user = try await accounts.account(of: principal)
        let teams = try await self.teams.list(of: principal)
        let place = try await place(of: audience, context: context, user: user, teams: teams)
        return ViewedPage(
            frame: frame(request, principal: principal, user: user, teams: teams, place: place), user: user, team: place
        )
    }

    /// The frame of a page about the team in the path.
    /// - Throws: `AppError.notFound` if the user is not in the team; `AppError.unauthenticated` if the account was
    ///   deleted.
    func teamFrame(_ request: Request, context: AppRequestContext) async throws -> TeamPageFrame {
        let viewed = try await frame(request, context: context, for: .team)
        guard let place = viewed.team, let role = place.role else { throw AppError.noSuchTeam }
        return TeamPageFrame(
            frame: viewed.frame, user: viewed.user, team: place.team,
            membership: Membership(teamID: place.team.id, userID: viewed.user.id, role: role))
    }

    /// Runs the handler of a page behind the login. An error becomes a page in the user's frame.
    func renderingErrors(
        _ request: Request, _ context: AppRequestContext, with pages: PageRenderer,
        _ handle: () async throws -> Response
    ) async throws -> Response {
        do {
            return try await handle()
        } catch {
            return try await pages.renderingErrors(try await errorFrame(request, context)) { throw error }
        }
    }

    private func errorFrame(_ request: Request, _ context: AppRequestContext) async throws -> PageFrame {
        do {
            return try await frame(request, context: context, for: .member).frame
        } catch  where AppError(error) != nil {
            // No one is logged in, or the store is unavailable: that is probably the error to be shown.
            return PageFrame(request)
        }
    }

    private typealias TeamOfMine = (team: Team, role: Membership.Role)

    /// The page's team.
    private func place(
        of audience: PageAudience, context: AppRequestContext, user: User, teams: [TeamOfMine]
    ) async throws -> VisitedTeam? {
        func own() throws -> VisitedTeam? {
            let teamID = try context.teamID()
            return teams.first { $0.team.id == teamID }.map { VisitedTeam(team: $0.team, role: $0.role) }
        }
        switch audience {
        case .member:
            return nil
        case .admin:
            guard user.role == .admin else { throw AppError(.notFound, "There’s no such page.") }
            return nil
        case .team:
            guard let own = try own() else { throw AppError.noSuchTeam }
            return own
        case .manager:
            if let own = try own() {
                guard own.role == .lead || user.role == .admin else { throw AppError.notAllowed }
                return own
            }
            guard user.role == .admin, let team = try await self.teams.find(id: try context.teamID()) else {
                throw AppError.noSuchTeam
            }
            return VisitedTeam(team: team, role: nil)
        }
    }

    private func frame(
        _ request: Request, principal: Principal, user: User, teams: [TeamOfMine], place: VisitedTeam?
    ) -> PageFrame {
        func link(to team: Team) -> Viewer.TeamLink {
            Viewer.TeamLink(
                teamID: team.id, name: team.name, address: .live(of: team.id), isChosen: team.id == place?.team.id)
        }
        let links = teams.map { link(to: $0.team) }
        // The sections of a team that the user only manages are not accessible to them, so the frame links to the
        // default team's.
        let sections =
            place.map { $0.role == nil ? nil : link(to: $0.team) }
            ?? (links.first { $0.teamID == user.defaultTeamID } ?? links.first)
        let roleThere = teams.first { $0.team.id == sections?.teamID }?.role
        var frame = PageFrame(request, userLocale: user.locale)
        frame.viewer = Viewer(
            id: user.id.description, name: user.shownName, userName: user.name, email: user.email,
            pictureLink: pictures.link(toPictureOf: user, .small, .webp).url,
            formToken: browsers.formTokens.token(of: principal),
            teams: links.sorted { $0.name.localizedStandardCompare($1.name) == .orderedAscending },
            team: place.map { link(to: $0.team) }, place: sections, isLead: place?.role == .lead,
            managesPlace: roleThere == .lead || (roleThere != nil && user.role == .admin),
            isAdmin: user.role == .admin, hasSeveralTeams: teams.count > 1,
            takesMessages: sendsToBrowsers && user.notifications.push)
        return frame
    }
}
