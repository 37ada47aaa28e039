import Shared

/// One action: to read, and for leads to change.
struct ActionPage: Page {
    static let template = "action"

    /// The board.
    let board: String
    let address: String
    let title: String
    let state: String
    /// One for each paragraph.
    let notes: String?
    let quote: String?
    let person: ActionPerson?
    let due: String?
    let isOverdue: Bool
    let sprint: String
    let version: Int
    let moves: [ActionMove]
    let mayMove: Bool
    /// For leads.
    let form: ActionForm?
    /// Whether somebody was faster than the form that is shown again.
    let isStale: Bool
    let done: String?
    let problem: String?
}

/// The page that asks for a new action.
struct NewActionPage: Page {
    static let template = "action-new"

    /// The board, which takes the form.
    let board: String
    let form: ActionForm
    let problem: String?
}

/// What is asked about an action.
struct ActionForm: Sendable {
    let title: String
    let notes: String
    /// `nil` for an action that came from no feedback.
    let quote: String?
    /// Whose feedback is quoted, for a new action; empty where that is not known.
    let quoteSprint: String
    let quoteIsForLeads: Bool
    let people: [Option]
    /// As `<input type="date">` has it.
    let due: String

    /// Somebody to choose.
    struct Option: Sendable {
        let id: String
        let name: String
        let isChosen: Bool
    }

    /// - Parameters:
    ///   - quoteReaders: who reads the quote, if there is one.
    ///   - candidates: whom it may be given to.
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

/// The fields of the form as they arrive, all of them text.
struct ActionFormFields: Decodable, Sendable {
    /// Missing in a form for a new action.
    var version: Int?
    var title: String?
    var notes: String?
    var quote: String?
    /// In a form for a new action alone.
    var quoteSprint: String?
    var assignee: String?
    var due: String?

    /// An empty form.
    init() {}

    /// What an action says now.
    init(_ action: Action) {
        let content = action.content
        version = action.version
        title = content.title
        notes = content.notes
        quote = content.quote
        assignee = content.assignee?.description
        due = content.due?.description
    }

    /// The same in our types; limits, and who may read a quote, are the service's matter.
    /// - Throws: `AppError`: `refused` for a day that is none, `malformed` for what no form of ours sends.
    func content() throws(AppError) -> ActionContent {
        ActionContent(
            title: title ?? "", notes: notes ?? "", quote: quote, quoteReaders: .team,
            assignee: try Self.filled(assignee).map(ActionFields.user), due: try day())
    }

    /// The sprint whose feedback is quoted.
    /// - Throws: `AppError.malformed`.
    func sprint() throws(AppError) -> SprintLabel? {
        try Self.filled(quoteSprint).map(ActionFields.sprint)
    }

    private func day() throws(AppError) -> CalendarDay? {
        guard let text = Self.filled(due) else { return nil }
        guard let day = CalendarDay(text) else {
            throw AppError(.refused, "This is no day such as 2026-12-24.", reason: "action-due")
        }
        return day
    }

    private static func filled(_ text: String?) -> String? {
        text.flatMap { $0.isEmpty ? nil : $0 }
    }
}
