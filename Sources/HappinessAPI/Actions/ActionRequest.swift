import Domain

/// A new action as a client sends it.
struct NewActionRequest: Decodable {
    let title: String
    let notes: String?
    let quote: String?
    let quoteReaders: String?
    /// The sprint of the quoted feedback.
    let quoteSprint: String?
    let assignee: String?
    let due: String?

    /// Converts the request to the domain type; the service checks limits.
    /// - Throws: `AppError.malformed` for an invalid id, day or enum value.
    func content() throws(AppError) -> ActionContent {
        ActionContent(
            title: title, notes: notes ?? "", quote: quote,
            quoteReaders: try quoteReaders.map(ActionFields.readers) ?? .leads,
            assignee: try assignee.map(ActionFields.user), due: try due.map(ActionFields.day))
    }

    /// The sprint of the quoted feedback.
    /// - Throws: `AppError.malformed`.
    func sprint() throws(AppError) -> SprintLabel? { try quoteSprint.map(ActionFields.sprint) }
}

/// A change to an action as a client sends it: a missing field keeps its value, `null` clears it.
struct ActionChangeRequest: Decodable {
    private let change: ActionChange

    private enum CodingKeys: CodingKey {
        case version, title, notes, quote, quoteReaders, assignee, due, state, before
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        var change = ActionChange(version: try fields.decode(Int.self, forKey: .version))
        change.title = try Self.given(.title, in: fields)
        change.notes = try Self.given(.notes, in: fields)
        change.quote = try Self.text(.quote, in: fields)
        change.quoteReaders = try Self.given(.quoteReaders, in: fields).map(ActionFields.readers)
        change.assignee = try Self.text(.assignee, in: fields).map { try $0.map(ActionFields.user) }
        change.due = try Self.text(.due, in: fields).map { try $0.map(ActionFields.day) }
        change.state = try Self.given(.state, in: fields).map(ActionFields.state)
        change.place = try Self.text(.before, in: fields).map { try $0.map(ActionFields.place) ?? .last }
        self.change = change
    }

    /// The domain type for this request.
    var actionChange: ActionChange { change }

    /// A required text: missing is allowed, `null` is not.
    private static func given(_ key: CodingKeys, in fields: KeyedDecodingContainer<CodingKeys>) throws -> String? {
        fields.contains(key) ? try fields.decode(String.self, forKey: key) : nil
    }

    /// An optional text: a value, `null`, or missing.
    private static func text(_ key: CodingKeys, in fields: KeyedDecodingContainer<CodingKeys>) throws -> String?? {
        guard fields.contains(key) else { return nil }
        return .some(try fields.decodeIfPresent(String.self, forKey: key))
    }
}

/// Parses fields of actions, from JSON bodies and forms alike.
enum ActionFields {
    static func state(_ text: String) throws(AppError) -> Action.State {
        guard let state = Action.State(rawValue: text) else {
            let names = Action.State.allCases.map(\.rawValue).joined(separator: ", ")
            throw AppError(.malformed, "state must be one of: \(names).")
        }
        return state
    }

    static func readers(_ text: String) throws(AppError) -> Team.FeedbackReaders {
        guard let readers = Team.FeedbackReaders(rawValue: text) else {
            throw AppError(.malformed, "quoteReaders must be one of: team, leads.")
        }
        return readers
    }

    static func sprint(_ text: String) throws(AppError) -> SprintLabel {
        guard let label = SprintLabel(text) else {
            throw AppError(.malformed, "quoteSprint must be the name of a sprint such as 2026/3.")
        }
        return label
    }

    /// - Throws: `AppError.malformed`: a malformed id cannot be that of a member.
    static func user(_ text: String) throws(AppError) -> User.ID {
        guard let id = User.ID(text) else { throw AppError(.malformed, "assignee must be the id of a member.") }
        return id
    }

    static func day(_ text: String) throws(AppError) -> CalendarDay {
        guard let day = CalendarDay(text) else {
            throw AppError(.malformed, "due must be a day such as 2026-12-24.")
        }
        return day
    }

    static func place(_ text: String) throws(AppError) -> ActionPosition {
        guard let id = Action.ID(text) else { throw AppError(.malformed, "before must be the id of an action.") }
        return .before(id)
    }
}
