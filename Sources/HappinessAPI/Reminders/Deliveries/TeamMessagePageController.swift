import Domain
import Hummingbird
import Services

/// Sends messages to a team, and shows all deliveries with their outcome.
struct TeamMessagePageController: Sendable {
    let forms: ManageForms
    let deliveries: DeliveryService

    /// `GET /teams/{team}/manage/messages?after=`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context) { visit in
            try await page(visit, after: request.query("after").flatMap { Delivery.Position($0) })
        }
    }

    private struct Form: Decodable {
        let title: String
        let body: String
        /// Missing until the sender has confirmed that it goes to everyone.
        let confirmed: String?
    }

    /// `POST /teams/{team}/manage/messages`: asks first, since nothing takes a message back.
    func send(_ request: Request, context: AppRequestContext) async throws -> Response {
        var typed = TeamMessagePage.Draft()
        return try await forms.submit(Form.self, request, context) {
            try await page($0, draft: typed)
        } response: { form, visit in
            // Forms send every line break as two characters (HTML, "form-data set").
            typed = TeamMessagePage.Draft(title: form.title, body: form.body.replacing("\r\n", with: "\n"))
            do {
                guard form.confirmed != nil else {
                    _ = try Delivery.Text(validating: typed.title, body: typed.body)
                    typed.isToBeConfirmed = true
                    return try forms.pages.response(try await page(visit, draft: typed), in: visit.frame)
                }
                _ = try await deliveries.send(
                    title: typed.title, body: typed.body, to: try visit.visitedTeam().team.id, by: visit.principal)
            } catch let error as AppError where error.code == .unprocessable {
                throw FormProblem(visit.words.text("teamMessages.problem"))
            }
            return try ManageForms.done(.message, for: visit)
        }
    }

    private func page(
        _ visit: PageVisit, draft: TeamMessagePage.Draft = .init(), after: Delivery.Position? = nil
    ) async throws -> TeamMessagePage {
        let visited = try visit.visitedTeam()
        let reports = try await deliveries.list(of: visited.team.id, after: after, by: visit.principal)
        return TeamMessagePage(
            ManageHead(visit, visited.team, address: .messages(of: visited.team.id)), draft: draft,
            recipients: visited.team.memberCount, reports: reports, seesParticipation: visited.role != nil,
            keepsMails: forms.pages.keepsMails, words: visit.words, language: visit.frame.language)
    }
}

/// The form for a message, and the deliveries with their outcome.
struct TeamMessagePage: Page {
    static let template = "manage-messages"

    let head: ManageHead
    let draft: Draft
    let maximumTitleLength: Int
    let maximumBodyLength: Int
    /// Newest day first.
    let deliveries: [Row]
    let hasDeliveries: Bool
    /// Link to older ones.
    let next: SitePath?

    /// Asks whether to send the draft; `nil` before that.
    let question: String?

    /// The message as typed.
    struct Draft: Sendable {
        var title = ""
        var body = ""
        var isToBeConfirmed = false
    }

    struct Row: Sendable {
        let kind: String
        let day: String
        /// The title of a message; `nil` for a reminder.
        let title: String?
        let body: String?
        let state: String
        /// Counts by outcome, or why they are withheld.
        let counts: String?
    }

    /// - Parameters:
    ///   - recipients: the members of the team.
    ///   - reports: newest day first.
    ///   - seesParticipation: false if the viewer is not in the team: the recipients of a reminder are those who had
    ///     not voted.
    ///   - keepsMails: `MailSettings.keepsMails`
    init(
        _ head: ManageHead, draft: Draft, recipients: Int, reports: [DeliveryReport], seesParticipation: Bool,
        keepsMails: Bool = false, words: LocalizedTexts, language: PageLanguage
    ) {
        self.head = head
        self.draft = draft
        question =
            draft.isToBeConfirmed
            ? words.text("teamMessages.question", count: recipients, ["count": words.number(recipients)]) : nil
        maximumTitleLength = PushMessage.maximumTitleLength
        maximumBodyLength = PushMessage.maximumBodyLength
        deliveries = reports.map { report in
            let delivery = report.delivery
            let isHidden = delivery.occasion.kind.dependsOnVotes && !seesParticipation
            return Row(
                kind: Self.name(of: delivery.occasion.kind, words), day: delivery.occasion.day.text(in: language),
                title: delivery.text?.title, body: delivery.text?.body,
                state: Self.state(of: report, keepsMails: keepsMails, words),
                counts: isHidden ? nil : Self.counts(report, words))
        }
        hasDeliveries = !reports.isEmpty
        let isFull = reports.count == DeliveryService.pageSize
        next = isFull ? reports.last.map { head.address.adding("after", $0.delivery.position.description) } : nil
    }

    private static func name(of kind: Delivery.Kind, _ words: LocalizedTexts) -> String {
        words.text("teamMessages.\(kind.rawValue)")
    }

    private static func state(of report: DeliveryReport, keepsMails: Bool, _ words: LocalizedTexts) -> String {
        let delivery = report.delivery
        if delivery.state == .done, let counts = report.counts, counts.accepted == 0 {
            if counts.mailed > 0 && keepsMails { return words.text("teamMessages.kept") }
            let lost = counts.removed + counts.refused + counts.failed
            if counts.mailed == 0 && lost > 0 { return words.text("teamMessages.notSent") }
        }
        return switch (delivery.state, delivery.trouble) {
        case (.sending, .serviceUnavailable): words.text("teamMessages.waiting")
        case (.sending, _): words.text("teamMessages.sending")
        case (.done, .serviceUnavailable): words.text("teamMessages.doneWithTrouble")
        case (.done, _): words.text("teamMessages.sent")
        case (.skipped, _): words.text("teamMessages.skipped")
        }
    }

    private static func counts(_ report: DeliveryReport, _ words: LocalizedTexts) -> String? {
        guard let counts = report.counts else {
            return report.delivery.state == .skipped ? nil : words.text("teamMessages.later")
        }
        let parts = [
            (counts.accepted, words.text("teamMessages.devices")), (counts.mailed, words.text("teamMessages.mails")),
            (counts.removed, words.text("teamMessages.gone")), (counts.refused, words.text("teamMessages.refused")),
            (counts.failed, words.text("teamMessages.failed")),
        ]
        let said = parts.filter { $0.0 > 0 }.map { "\($0.1): \($0.0)" }
        guard said.isEmpty else { return said.joined(separator: " · ") }
        return report.delivery.state == .done ? words.text("teamMessages.nobody") : nil
    }
}
