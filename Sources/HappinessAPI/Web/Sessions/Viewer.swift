import Foundation
import Hummingbird
import Shared

/// Who looks at a page behind the log-in, as the frame around it shows them: a template reads `viewer.NAME`.
struct Viewer: Sendable {
    let name: String
    let email: String
    /// Of the small picture, or the default one.
    let pictureLink: String
    /// Goes into every form of the page.
    let formToken: String
    /// In order of their names.
    let teams: [TeamLink]
    /// The team the page is about; `nil` on a page about none.
    let team: TeamLink?
    /// The team whose sections the frame leads to: `team`, or the default one; `nil` for who is in no team.
    let place: TeamLink?
    /// Whether the viewer leads `team`.
    let isLead: Bool
    let isAdmin: Bool
    /// Whether there is another team to change to.
    let hasSeveralTeams: Bool
    /// Whether messages could go to this browser: it may be asked for them.
    let takesMessages: Bool

    /// A team to go to.
    struct TeamLink: Sendable {
        let name: String
        /// A path of ours.
        let address: String
        let isChosen: Bool
    }
}

/// A page behind the log-in, about one of the viewer's teams.
struct TeamPageFrame: Sendable {
    let frame: PageFrame
    let user: User
    let team: Team
    let membership: Membership
}

/// Finds out who looks at a page behind the log-in.
struct Viewers: Sendable {
    let stores: Stores
    let browsers: BrowserSessions
    let pictures: PictureLinks
    /// Whether this installation sends messages to browsers.
    let sendsToBrowsers: Bool

    /// The frame of a page about no team.
    /// - Throws: `AppError.unauthenticated` if the account is gone.
    func frame(_ request: Request, context: AppRequestContext) async throws -> PageFrame {
        let principal = try context.requirePrincipal()
        let user = try await user(principal)
        let teams = try await stores.teams.teams(of: user.id)
        return frame(request, principal: principal, user: user, teams: teams, chosen: nil)
    }

    /// The frame of a page about the team in the path.
    /// - Throws: `AppError.notFound` for a team that is not the viewer's; `AppError.unauthenticated` if the account is gone.
    func teamFrame(_ request: Request, context: AppRequestContext) async throws -> TeamPageFrame {
        let principal = try context.requirePrincipal()
        let teamID = try context.teamID()
        let user = try await user(principal)
        let teams = try await stores.teams.teams(of: user.id)
        guard let chosen = teams.first(where: { $0.team.id == teamID }) else { throw AppError.noSuchTeam }
        return TeamPageFrame(
            frame: frame(request, principal: principal, user: user, teams: teams, chosen: chosen), user: user,
            team: chosen.team, membership: Membership(teamID: teamID, userID: user.id, role: chosen.role))
    }

    private typealias TeamOfMine = (team: Team, role: Membership.Role)

    private func user(_ principal: Principal) async throws -> User {
        guard let user = try await stores.users.find(id: principal.userID) else { throw AppError.sessionEnded }
        return user
    }

    private func frame(
        _ request: Request, principal: Principal, user: User, teams: [TeamOfMine], chosen: TeamOfMine?
    ) -> PageFrame {
        let links = teams.map { one in
            Viewer.TeamLink(
                name: one.team.name, address: TeamPages.path(of: one.team.id), isChosen: one.team.id == chosen?.team.id)
        }
        let picture =
            user.picture.map { pictures.link(to: $0, .small, .webp) }
            ?? pictures.link(to: DefaultPicture(of: user, size: .small))
        let place =
            links.first(where: \.isChosen)
            ?? links.first { $0.address == user.defaultTeamID.map(TeamPages.path) } ?? links.first
        var frame = PageFrame(request, userLocale: user.locale)
        frame.viewer = Viewer(
            name: user.name, email: user.email, pictureLink: picture.url,
            formToken: browsers.formTokens.token(of: principal.sessionID),
            teams: links.sorted { $0.name.localizedStandardCompare($1.name) == .orderedAscending },
            team: links.first(where: \.isChosen), place: place, isLead: chosen?.role == .lead,
            isAdmin: user.role == .admin, hasSeveralTeams: teams.count > 1,
            takesMessages: sendsToBrowsers && user.notifications.push)
        return frame
    }
}
