import Domain
import Hummingbird
import Services

/// The start page of the administration: how the installation does, the first steps, and links to all sections.
struct AdminStartPageController: Sendable {
    let forms: AdminForms
    let teams: TeamService
    let firstSteps: FirstStepsService
    let health: HealthService
    let testMails: TestMailService
    let jobs: JobService

    /// `GET /admin`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context, page)
    }

    /// `POST /admin/test-mail`
    func sendTestMail(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.submit(NoFields.self, request, context, then: .testMail, orShow: page) { _, visit in
            guard try await testMails.send(by: visit.principal) else {
                throw FormProblem(visit.words.text("health.testTooSoon"))
            }
            await health.forget("mail")
        }
    }

    /// `POST /admin/backup`
    func makeBackup(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.submit(NoFields.self, request, context, then: .backup, orShow: page) { _, visit in
            try await jobs.makeBackup(by: visit.principal.caller)
            await health.forget("backups")
        }
    }

    private func page(_ visit: PageVisit) async throws -> AdminStartPage {
        let findings = try await health.findings(by: visit.principal.caller)
        let led = try await teams.list(of: visit.principal).filter { $0.role == .lead }.map(\.team)
        var card: FirstStepsCard?
        if let team = led.first(where: { $0.id == visit.user.defaultTeamID }) ?? led.first {
            card = try await firstSteps.steps(of: visit.user.id, leading: team)
                .map { FirstStepsCard($0, words: visit.words) }
        }
        return AdminStartPage(
            findings, firstSteps: card, done: visit.done, problem: visit.problem, words: visit.words,
            language: visit.frame.language)
    }
}

/// How the installation does, and links to all sections of the administration.
struct AdminStartPage: Page {
    static let template = "admin"

    let navigation: AdministrationNavigation
    let health: [HealthRow]
    let firstSteps: FirstStepsCard?
    let sections: [Section]
    let done: String?
    let problem: FormProblem?

    struct Section: Sendable {
        let address: SitePath
        let label: String
        /// The purpose of the page.
        let text: String
    }

    /// - Parameter firstSteps: of a new team's lead. Those of the server follow them.
    init(
        _ findings: [Finding], firstSteps: FirstStepsCard?, done: String?, problem: FormProblem?,
        words: LocalizedTexts, language: PageLanguage
    ) {
        navigation = AdministrationNavigation(at: nil, words: words)
        health = HealthRow.all(findings, words: words, language: language)
        self.firstSteps = firstSteps?.adding(Self.steps(findings, words: words))
        sections = AdministrationSection.allCases.map {
            Section(address: $0.address, label: $0.label(words), text: $0.text(words))
        }
        self.done = done
        self.problem = problem
    }

    /// Ticked is what is known to have worked, not what is set.
    private static func steps(_ findings: [Finding], words: LocalizedTexts) -> [FirstStepsCard.Step] {
        func step(_ label: String, at part: String, isDone: Bool) -> FirstStepsCard.Step {
            FirstStepsCard.Step(
                label: label, progress: "", address: isDone ? nil : SitePath.admin.at(part), isDone: isDone)
        }
        let hasHTTPS = findings.contains {
            $0.key == .addressOk && $0.values["address"]?.hasPrefix("https:") == true
        }
        return [
            step(
                words.text("firstSteps.mail"), at: "mail", isDone: findings.contains { $0.key == .mailDelivered }),
            step(words.text("firstSteps.https"), at: "address", isDone: hasHTTPS),
            step(
                words.text("firstSteps.backup"), at: "backups", isDone: findings.contains { $0.key == .backupOk }),
        ]
    }
}
