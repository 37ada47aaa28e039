import Domain
import Hummingbird
import Services

/// Invites a list of people.
struct AdminImportPageController: Sendable {
    let forms: AdminForms
    let invitations: InvitationService

    /// Bytes of the form: the longest list the API accepts, plus the rest of the form. A checked list comes back as a
    /// field, in which each end of a line has two characters.
    private static let limit = InvitationController.listLimit + 16 * 1024

    /// `GET /admin/invitations/import`
    func ask(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context) { page($0) }
    }

    /// `POST /admin/invitations/import`: a form with the file. The response shows the result of each line; if the list
    /// was only checked, with a form to invite everyone on it.
    func send(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.withVisitor(request, context) { visit in
            try await forms.keepingForm(visit, orShow: page) {
                let form = try await MultipartForm(request, limit: Self.limit)
                try forms.viewers.browsers.require(try form.text("formToken"), of: visit.principal)
                let (list, text) = try Self.list(form, words: visit.words)
                let isCheck = form.has("check")
                let reports = try await invitations.importList(list, validateOnly: isCheck, by: visit.principal.caller)
                return try forms.pages.response(
                    AdminImportDonePage(
                        reports, ignoredColumns: list.ignoredColumns, list: isCheck ? text : nil, visit: visit),
                    in: visit.frame)
            }
        }
    }

    /// - Throws: `FormProblem`, naming line and column.
    private static func list(_ form: MultipartForm, words: LocalizedTexts) throws -> (InvitationCSV, text: String) {
        let text: String
        do {
            guard let read = try form.spreadsheetText("list") else {
                throw FormProblem(words.text("adminImport.notReadable"), at: "list")
            }
            text = read
        } catch let error as SpreadsheetText.UnknownEncoding {
            throw FormProblem(words.text("adminImport.notUTF8", ["line": String(error.line)]), at: "list")
        }
        switch InvitationCSV.read(text) {
        case .success(let list): return (list, text)
        case .failure(let problem): throw FormProblem(Self.words(for: problem, words), at: "list")
        }
    }

    private static func words(for problem: PeopleListProblem, _ words: LocalizedTexts) -> String {
        let place = ["line": String(problem.line), "column": problem.column]
        return switch problem.kind {
        case .empty, .noAddresses: words.text("adminImport.notReadable")
        case .misplacedQuote: words.text("adminImport.misplacedQuote", place)
        case .columnTwice: words.text("adminImport.columnTwice", place)
        case .unknownColumn: words.text("adminImport.unknownColumn", place)
        case .tooManyLines: words.text("adminImport.tooLong")
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
    let address = SitePath.invitationImport
    let problem: FormProblem?
}

/// The results of a list.
struct AdminImportDonePage: Page {
    static let template = "admin-import-done"

    let navigation: AdministrationNavigation
    let again = SitePath.invitationImport
    let title: String
    /// How many of the lines led to an invitation, or would lead to one.
    let summary: String
    /// Which columns of the list were not used; `nil` if all were.
    let ignored: String?
    /// A list that was only checked, and can be sent; `nil` after an import, or if there is nobody to invite.
    let list: String?
    let rows: [Row]

    struct Row: Sendable {
        /// Line number in the file, from 1.
        let line: Int
        let email: String
        let text: String
        let isInvited: Bool
        /// Whether the line was rejected and needs attention.
        let isRefused: Bool
    }

    /// - Parameter list: of a check.
    init(_ reports: [InvitationLineReport], ignoredColumns: [String], list: String?, visit: PageVisit) {
        let words = visit.words
        navigation = AdministrationNavigation(at: .invitations, words: words)
        rows = reports.map { Row($0, isCheck: list != nil, words: words) }
        let invited = rows.count(where: \.isInvited)
        let counts = ["invited": String(invited), "lines": String(rows.count)]
        title = list == nil ? words.text("adminImport.doneTitle") : words.text("adminImport.checkTitle")
        summary =
            list == nil
            ? words.text("adminImport.summary", counts) : words.text("adminImport.checkSummary", counts)
        ignored =
            ignoredColumns.isEmpty
            ? nil : words.text("adminImport.ignored", ["columns": ignoredColumns.joined(separator: ", ")])
        self.list = invited == 0 ? nil : list
    }
}

extension AdminImportDonePage.Row {
    fileprivate init(_ report: InvitationLineReport, isCheck: Bool, words: LocalizedTexts) {
        line = report.number
        email = report.email
        switch report.result {
        case .success(.invited):
            text = isCheck ? words.text("adminImport.possible") : words.text("adminImport.invited")
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
                case (.malformed, _):
                    report.column.map { words.text("adminImport.columnNotReadable", ["column": $0]) }
                        ?? words.text("adminImport.lineNotReadable")
                case (.unprocessable, .accountDisabled): words.text("invite.disabledInList")
                // Without the general text's hint that the caller may not be a member, because admins need not be one.
                case (_, .noSuchTeam): words.text("admin.noSuchTeam")
                default: words.text(for: error)
                }
            isInvited = false
            isRefused = error.reason != .alreadyInvited
        }
    }
}
