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
    /// Whether the viewer manages `place`: then the frame leads to that, too.
    let managesPlace: Bool
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

/// A page behind the log-in.
struct ViewedPage: Sendable {
    let frame: PageFrame
    let user: User
    /// The team it is about; `nil` for a page about none.
    let team: VisitedTeam?
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

    /// The frame of a page, who looks at it, and at which team.
    /// - Throws: `AppError`: `unauthenticated` if the account is gone; `notFound` for a team that is not the viewer's and for
    ///   administration when the viewer is no administrator; `forbidden` for a member who does not manage the team.
    func frame(
        _ request: Request, context: AppRequestContext, for audience: PageAudience
    ) async throws -> ViewedPage {
        let principal = try context.requirePrincipal()
        guard let user = try await stores.users.find(id: principal.userID) else { throw AppError.sessionEnded }
        let teams = try await stores.teams.teams(of: user.id)
        let place = try await place(of: audience, context: context, user: user, teams: teams)
        return ViewedPage(
            frame: frame(request, principal: principal, user: user, teams: teams, place: place), user: user, team: place
        )
    }

    /// The frame of a page about the team in the path.
    /// - Throws: `AppError.notFound` for a team that is not the viewer's; `AppError.unauthenticated` if the account is gone.
    func teamFrame(_ request: Request, context: AppRequestContext) async throws -> TeamPageFrame {
        let viewed = try await frame(request, context: context, for: .team)
        guard let place = viewed.team, let role = place.role else { throw AppError.noSuchTeam }
        return TeamPageFrame(
            frame: viewed.frame, user: viewed.user, team: place.team,
            membership: Membership(teamID: place.team.id, userID: viewed.user.id, role: role))
    }

    private typealias TeamOfMine = (team: Team, role: Membership.Role)

    /// The team the page is about.
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
            guard user.role == .admin else { throw AppError(.notFound, "There is no such page.") }
            return nil
        case .team:
            guard let own = try own() else { throw AppError.noSuchTeam }
            return own
        case .manager:
            if let own = try own() {
                guard own.role == .lead || user.role == .admin else { throw AppError.notAllowed }
                return own
            }
            guard user.role == .admin, let team = try await stores.teams.find(id: try context.teamID()) else {
                throw AppError.noSuchTeam
            }
            return VisitedTeam(team: team, role: nil)
        }
    }

    private func frame(
        _ request: Request, principal: Principal, user: User, teams: [TeamOfMine], place: VisitedTeam?
    ) -> PageFrame {
        func link(to team: Team) -> Viewer.TeamLink {
            Viewer.TeamLink(name: team.name, address: TeamPages.path(of: team.id), isChosen: team.id == place?.team.id)
        }
        let links = teams.map { link(to: $0.team) }
        // Whose sections are led to: those of a team that the viewer only manages are closed to them.
        let sections =
            place.map { $0.role == nil ? nil : link(to: $0.team) }
            ?? (links.first { $0.address == user.defaultTeamID.map(TeamPages.path) } ?? links.first)
        let roleThere = teams.first { TeamPages.path(of: $0.team.id) == sections?.address }?.role
        var frame = PageFrame(request, userLocale: user.locale)
        frame.viewer = Viewer(
            name: user.name, email: user.email, pictureLink: pictures.link(toPictureOf: user, .small, .webp).url,
            formToken: browsers.formTokens.token(of: principal),
            teams: links.sorted { $0.name.localizedStandardCompare($1.name) == .orderedAscending },
            team: place.map { link(to: $0.team) }, place: sections, isLead: place?.role == .lead,
            managesPlace: roleThere == .lead || (roleThere != nil && user.role == .admin),
            isAdmin: user.role == .admin, hasSeveralTeams: teams.count > 1,
            takesMessages: sendsToBrowsers && user.notifications.push)
        return frame
    }
}
