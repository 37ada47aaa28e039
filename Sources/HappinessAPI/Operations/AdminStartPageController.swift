import Domain
import Hummingbird
import Services

/// The start page of the administration: the first steps, and links to all sections.
struct AdminStartPageController: Sendable {
    let forms: AdminForms
    let teams: TeamService
    let firstSteps: FirstStepsService

    /// `GET /admin`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context) { visit in
            let led = try await teams.list(of: visit.principal).filter { $0.role == .lead }.map(\.team)
            var card: FirstStepsCard?
            if let team = led.first(where: { $0.id == visit.user.defaultTeamID }) ?? led.first {
                card = try await firstSteps.steps(of: visit.user.id, leading: team)
                    .map { FirstStepsCard($0, words: visit.words) }
            }
            return AdminStartPage(firstSteps: card, words: visit.words)
        }
    }
}

/// Links to all sections of the administration.
struct AdminStartPage: Page {
    static let template = "admin"

    let navigation: AdministrationNavigation
    let firstSteps: FirstStepsCard?
    let sections: [Section]

    struct Section: Sendable {
        let address: SitePath
        let label: String
        /// The purpose of the page.
        let text: String
    }

    init(firstSteps: FirstStepsCard?, words: LocalizedTexts) {
        navigation = AdministrationNavigation(at: nil, words: words)
        self.firstSteps = firstSteps
        sections = AdministrationSection.allCases.map {
            Section(address: $0.address, label: $0.label(words), text: $0.text(words))
        }
    }
}
