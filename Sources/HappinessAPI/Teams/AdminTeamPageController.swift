import Domain
import Foundation
import Hummingbird
import Services

/// Lists all teams and creates new ones.
struct AdminTeamPageController: Sendable {
    let forms: AdminForms
    let teams: TeamService

    private static let pageSize = 50

    /// `GET /admin/teams?search=&after=`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context) { visit in
            let search = request.field("search") ?? ""
            let after = request.field("after")
            // Fetches one more to see whether there is another page.
            let found = try await teams.list(
                matching: search, after: after, limit: Self.pageSize + 1, by: visit.principal.caller)
            return AdminTeamsPage(found, limit: Self.pageSize, search: search, isFirst: after == nil, visit: visit)
        }
    }

    /// `GET /admin/teams/new`
    func ask(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context) {
            AdminNewTeamPage(name: "", timeZone: TimeZone.current.identifier, visit: $0)
        }
    }

    private struct Form: Decodable {
        let name: String
        /// IANA name. Missing in a form of an older version, which then comes back and asks for it.
        let timeZone: String?
    }

    /// `POST /admin/teams/new`: creates a team with the chosen time zone and otherwise the default settings.
    func add(_ request: Request, context: AppRequestContext) async throws -> Response {
        var (name, zone) = ("", TimeZone.current.identifier)
        return try await forms.submit(Form.self, request, context) {
            AdminNewTeamPage(name: name, timeZone: zone, visit: $0)
        } response: { form, visit in
            name = form.name
            zone = form.timeZone ?? zone
            guard let chosen = form.timeZone, !chosen.isEmpty, TimeZone(identifier: chosen) != nil else {
                throw FormProblem(visit.words.text("teamSettings.zoneProblem"), at: "zone")
            }
            do {
                let team = try await teams.add(
                    name: form.name, settings: TeamSettingsChange(timeZone: chosen), by: visit.principal.caller)
                return .seeOther(
                    SitePath.adminTeams.adding("search", team.name).adding("done", AdminNotice.teamAdded.addressName))
            } catch let error as AppError where error.code == .unprocessable {
                throw FormProblem(visit.words.text("adminTeams.nameNotValid"), at: "name")
            } catch let error as AppError where error.code == .conflict {
                throw FormProblem(visit.words.text("adminTeams.nameTaken"), at: "name")
            }
        }
    }
}

/// A page of the list.
struct AdminTeamsPage: Page {
    static let template = "admin-teams"

    let navigation: AdministrationNavigation
    /// The search text.
    let search: String
    let rows: [Row]
    let isEmpty: Bool
    let pager: Pager
    let done: String?

    struct Row: Sendable {
        /// Path of the team's management.
        let address: SitePath
        let name: String
        let members: Int
        /// Whether it has no members.
        let isEmpty: Bool
        /// Path of the form that invites people to it.
        let invite: SitePath
        /// Path of its deliveries.
        let deliveries: SitePath
        /// Path of the form that deletes it.
        let delete: SitePath
    }

    /// - Parameter found: holds `limit` + 1 teams if there are more pages.
    init(_ found: [Team], limit: Int, search: String, isFirst: Bool, visit: PageVisit) {
        let path = SitePath.adminTeams
        let page = found.prefix(limit)
        navigation = AdministrationNavigation(at: .teams, words: visit.words)
        self.search = search
        rows = page.map { team in
            Row(
                address: .management(of: team.id), name: team.name, members: team.memberCount,
                isEmpty: team.memberCount == 0, invite: SitePath.newInvitation.adding("team", team.name),
                deliveries: SitePath.adminDeliveries.adding("team", team.name), delete: .teamDeletion(of: team.id))
        }
        isEmpty = rows.isEmpty
        pager = Pager(
            first: isFirst ? nil : path.adding("search", search),
            next: found.count > limit
                ? page.last.map { path.adding("search", search).adding("after", $0.name) } : nil)
        done = visit.done
    }
}

/// The form for a new team.
struct AdminNewTeamPage: Page {
    static let template = "admin-team-new"

    let navigation: AdministrationNavigation
    /// The name as typed.
    let name: String
    let maximumLength = TeamName.maximumLength
    /// As typed; at first this machine's. A script replaces it with the browser's.
    let timeZone: String
    let timeZones = TeamSettingsPage.zones
    let problem: FormProblem?

    init(name: String, timeZone: String, visit: PageVisit) {
        navigation = AdministrationNavigation(at: .teams, words: visit.words)
        self.name = name
        self.timeZone = timeZone
        problem = visit.problem
    }
}
