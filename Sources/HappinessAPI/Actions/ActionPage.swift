import Domain

/// One action; leads see a form to change it.
struct ActionPage: Page {
    static let template = "action"

    /// Path of the board.
    let board: SitePath
    let address: SitePath
    let title: String
    let state: String
    /// The notes as text; `nil` if there are none.
    let notes: String?
    let quote: String?
    let person: ActionUser?
    let due: String?
    let isOverdue: Bool
    let sprint: String
    let version: Int
    let moves: [ActionMove]
    let mayMove: Bool
    let support: ActionSupportLine
    /// `nil` unless the viewer is a lead.
    let form: ActionForm?
    /// Whether another lead has changed the action before this form was sent.
    let isStale: Bool
    let done: String?
    let problem: FormProblem?
}

/// The form for a new action.
struct NewActionPage: Page {
    static let template = "action-new"

    /// Path of the board, which also receives the form.
    let board: SitePath
    /// Whether the viewer can change the action later.
    let manages: Bool
    let form: ActionForm
    let problem: FormProblem?
}

/// The fields of an action's form.
struct ActionForm: Sendable {
    let title: String
    let notes: String
    /// `nil` for an action without quoted feedback.
    let quote: String?
    /// The sprint of the quoted feedback, for a new action; empty if unknown.
    let quoteSprint: String
    let quoteIsForLeads: Bool
    let people: [Option]
    /// In the format of `<input type="date">`.
    let due: String

    /// A person to choose.
    struct Option: Sendable {
        let id: String
        let name: String
        let isChosen: Bool
    }

    /// - Parameters:
    ///   - quoteReaders: who may read the quote, if there is one.
    ///   - candidates: members who can be assigned.
    init(_ fields: ActionFormFields, quoteReaders: Team.FeedbackReaders, candidates: [User]) {
        title = fields.title ?? ""
        notes = fields.notes ?? ""
        quote = fields.quote.flatMap { $0.isEmpty ? nil : $0 }
        quoteSprint = fields.quoteSprint ?? ""
        quoteIsForLeads = quoteReaders == .leads
        people = candidates.map {
            Option(id: $0.id.description, name: $0.name, isChosen: $0.id.description == fields.assignee)
        }
        due = fields.due ?? ""
    }
}

/// The form's fields as received, all of them text.
struct ActionFormFields: Decodable, Sendable {
    /// Missing in a form for a new action.
    var version: Int?
    var title: String?
    var notes: String?
    var quote: String?
    /// Only in a form for a new action.
    var quoteSprint: String?
    var assignee: String?
    var due: String?

    /// An empty form.
    init() {}

    /// The action's current values.
    init(_ action: Action) {
        let content = action.content
        version = action.version
        title = content.title
        notes = content.notes
        quote = content.quote
        assignee = content.assignee?.description
        due = content.due?.description
    }

    /// Converts the form to the domain type. The service checks limits, and who may read a quote.
    /// - Throws: `AppError`: `unprocessable` for an invalid day, `malformed` for values our forms never send.
    func content() throws(AppError) -> ActionContent {
        ActionContent(
            title: title ?? "", notes: notes ?? "", quote: quote, quoteReaders: .team,
            assignee: try Self.filled(assignee).map(ActionFields.user), due: try day())
    }

    /// The sprint of the quoted feedback.
    /// - Throws: `AppError.malformed`.
    func sprint() throws(AppError) -> SprintLabel? {
        try Self.filled(quoteSprint).map(ActionFields.sprint)
    }

    private func day() throws(AppError) -> CalendarDay? {
        guard let text = Self.filled(due) else { return nil }
        guard let day = CalendarDay(text) else {
            throw AppError(.unprocessable, "This isn’t a day such as 2026-12-24.", reason: .actionDue)
        }
        return day
    }

    private static func filled(_ text: String?) -> String? {
        text.flatMap { $0.isEmpty ? nil : $0 }
    }
}
