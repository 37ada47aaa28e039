import Hummingbird
import Services

/// Invites a list of people.
struct AdminImportPageController: Sendable {
    let forms: AdminForms
    let invitations: InvitationService

    /// Bytes of the form: the longest list the API accepts, plus the rest of the form.
    private static let limit = InvitationController.listLimit + 8 * 1024

    /// `GET /admin/invitations/import`
    func ask(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context) { page($0) }
    }

    /// `POST /admin/invitations/import`: a form with the file. The response shows the result of each line.
    func send(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.visiting(request, context) { visit in
            try await forms.mendable(visit, orShow: page) {
                let form = try await MultipartForm(request, limit: Self.limit)
                try forms.viewers.browsers.require(try form.text("formToken"), of: visit.principal)
                let list = try Self.list(form, words: visit.words)
                let reports = try await invitations.importList(list, by: visit.principal.caller)
                return try forms.pages.response(AdminImportDonePage(reports, visit: visit), in: visit.frame)
            }
        }
    }

    /// - Throws: `FormProblem`.
    private static func list(_ form: MultipartForm, words: PageWords) throws -> InvitationCSV {
        guard let text = try form.text("list") else {
            throw FormProblem(
                form.has("list") ? words.text("adminImport.notUTF8") : words.text("adminImport.notReadable"), at: "list")
        }
        do {
            return try InvitationCSV(text)
        } catch {
            switch error.code {
            case .refused: throw FormProblem(words.text("adminImport.tooLong"), at: "list")
            default: throw FormProblem(words.text("adminImport.notReadable"), at: "list")
            }
        }
    }

    private func page(_ visit: PageVisit) -> AdminImportPage {
        AdminImportPage(
            navigation: AdministrationNavigation(at: .invitations, words: visit.words), problem: visit.problem)
    }
}

/// The form for a list.
struct AdminImportPage: Page {
    static let template = "admin-import"

    let navigation: AdministrationNavigation
    let address = AdminInvitationPageController.importPath
    let problem: FormProblem?
}

/// The results of a list.
struct AdminImportDonePage: Page {
    static let template = "admin-import-done"

    let navigation: AdministrationNavigation
    let again = AdminInvitationPageController.importPath
    /// How many of the lines led to an invitation.
    let summary: String
    let rows: [Row]

    struct Row: Sendable {
        /// Line number in the file, from 1.
        let line: Int
        let email: String
        let text: String
        let isInvited: Bool
        /// Whether the line was refused and needs attention.
        let isRefused: Bool
    }

    init(_ reports: [InvitationLineReport], visit: PageVisit) {
        navigation = AdministrationNavigation(at: .invitations, words: visit.words)
        rows = reports.map { Row($0, words: visit.words) }
        summary = visit.words.text(
            "adminImport.summary",
            ["invited": String(rows.count(where: \.isInvited)), "lines": String(rows.count)])
    }
}

extension AdminImportDonePage.Row {
    fileprivate init(_ report: InvitationLineReport, words: PageWords) {
        line = report.number
        email = report.email
        switch report.result {
        case .success(.invited):
            text = words.text("adminImport.invited")
            isInvited = true
            isRefused = false
        case .success(.alreadyAMember):
            text = words.text("adminInvitations.alreadyMember")
            isInvited = false
            isRefused = false
        case .success(.alreadyAUser):
            text = words.text("adminInvitations.alreadyUser")
            isInvited = false
            isRefused = false
        case .failure(let error):
            text =
                switch (error.code, error.reason) {
                case (.malformed, _): words.text("adminImport.lineNotReadable")
                // Without the general text's hint that the caller may not be a member, because admins need not be one.
                case (_, "no-such-team"): words.text("admin.noSuchTeam")
                default: words.text(for: error)
                }
            isInvited = false
            isRefused = error.reason != "already-invited"
        }
    }
}
