import Domain
import Hummingbird
import Services

/// Deliveries to all teams, or to one, with their outcome.
struct AdminDeliveryPageController: Sendable {
    let forms: AdminForms
    let deliveries: DeliveryService
    let teams: TeamService

    /// Team names proposed by the field; further names must be typed.
    private static let proposedTeams = 200

    /// `GET /admin/deliveries?team=&after=`: filters by team name, ignoring case.
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context) { visit in
            let caller = visit.principal.caller
            let after = request.field("after").flatMap(Delivery.Position.init)
            let name = request.field("team") ?? ""
            var team: Team?
            var isUnknown = false
            if !name.isEmpty {
                do {
                    team = try await teams.find(name: name, by: caller)
                } catch let error as AppError where error.code == .notFound {
                    isUnknown = true
                }
            }
            let reports: [DeliveryReport]
            if let team {
                reports = try await deliveries.list(of: team.id, after: after, by: visit.principal)
            } else {
                reports = isUnknown ? [] : try await deliveries.listAll(after: after, by: visit.principal)
            }
            let named = try await teams.list(ids: Set(reports.map(\.delivery.occasion.sprint.teamID)), by: caller)
            return AdminDeliveriesPage(
                reports, search: team?.name ?? name, isUnknown: isUnknown,
                proposals: try await teams.list(limit: Self.proposedTeams, by: caller).map(\.name),
                teamNames: Dictionary(named.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first }),
                isFirst: after == nil, visit: visit)
        }
    }
}

/// A page of the list.
struct AdminDeliveriesPage: Page {
    static let template = "admin-deliveries"

    let navigation: AdministrationNavigation
    /// The team's name, or the text that was typed.
    let search: String
    /// Whether no team has this name.
    let isUnknown: Bool
    /// Names of teams.
    let proposals: [String]
    let rows: [Row]
    let isEmpty: Bool
    let pager: Pager

    struct Row: Sendable {
        let day: String
        let kind: String
        /// `nil` for a reminder.
        let title: String?
        let team: String
        /// Path of the list filtered by this team.
        let address: SitePath
        let state: String
        let isSending: Bool
        let isSkipped: Bool
        /// Why it is or was delayed.
        let trouble: String?
        /// Number of recipients per outcome; `nil` while the numbers would reveal who has not voted.
        let counts: [Count]?
        /// Why the counts are withheld.
        let withheld: String?
    }

    /// The number of recipients with one outcome.
    struct Count: Sendable {
        let label: String
        let number: Int
    }

    init(
        _ reports: [DeliveryReport], search: String, isUnknown: Bool, proposals: [String],
        teamNames: [Team.ID: String], isFirst: Bool, visit: PageVisit
    ) {
        let path = SitePath.adminDeliveries
        navigation = AdministrationNavigation(at: .deliveries, words: visit.words)
        self.search = search
        self.isUnknown = isUnknown
        self.proposals = proposals
        rows = reports.map { report in
            let team = teamNames[report.delivery.occasion.sprint.teamID] ?? ""
            return Row(
                report, team: team, address: path.adding("team", team), words: visit.words,
                language: visit.frame.language)
        }
        isEmpty = rows.isEmpty
        pager = Pager(
            first: isFirst ? nil : path.adding("team", search),
            next: reports.count == DeliveryService.pageSize
                ? reports.last.map {
                    path.adding("team", search).adding("after", $0.delivery.position.description)
                } : nil)
    }
}

extension AdminDeliveriesPage.Row {
    fileprivate init(
        _ report: DeliveryReport, team: String, address: SitePath, words: LocalizedTexts, language: PageLanguage
    ) {
        let delivery = report.delivery
        day = delivery.occasion.day.text(in: language)
        kind = delivery.occasion.kind.label(words)
        title = delivery.text?.title
        self.team = team
        self.address = address
        state = delivery.state.label(words)
        isSending = delivery.state == .sending
        isSkipped = delivery.state == .skipped
        trouble = delivery.trouble?.label(words)
        counts = report.counts.map { counts in
            [
                (words.text("adminDeliveries.accepted"), counts.accepted),
                (words.text("adminDeliveries.mailed"), counts.mailed),
                (words.text("adminDeliveries.removed"), counts.removed),
                (words.text("adminDeliveries.refused"), counts.refused),
                (words.text("adminDeliveries.failed"), counts.failed),
            ].map { AdminDeliveriesPage.Count(label: $0.0, number: $0.1) }
        }
        withheld = report.counts == nil && delivery.state != .skipped ? words.text("adminDeliveries.withheld") : nil
    }
}

extension Delivery.Kind {
    /// In the page's language.
    fileprivate func label(_ words: LocalizedTexts) -> String {
        words.text("adminDeliveries.\(rawValue)")
    }
}

extension Delivery.State {
    /// In the page's language.
    fileprivate func label(_ words: LocalizedTexts) -> String {
        words.text("adminDeliveries.\(rawValue)")
    }
}

extension Delivery.Trouble {
    /// In the page's language.
    fileprivate func label(_ words: LocalizedTexts) -> String {
        switch self {
        case .windowMissed: words.text("adminDeliveries.windowMissed")
        case .serviceUnavailable: words.text("adminDeliveries.serviceUnavailable")
        }
    }
}
