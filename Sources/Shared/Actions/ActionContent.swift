import Foundation

/// What people write into an action.
public struct ActionContent: Hashable, Sendable {
    /// What is to change, in a line.
    public var title: String
    /// More about it; may be empty.
    public var notes: String
    /// A copy of what somebody wrote as feedback, as whoever made the action left it; `nil` for an action that came from
    /// elsewhere.
    public var quote: String?
    /// Who reads the quote: never more than the feedback's writer was told.
    public var quoteReaders: Team.FeedbackReaders
    /// Who sees to it, a member of the team; `nil` is nobody yet.
    public var assignee: User.ID?
    /// The last day for it, team time.
    public var due: CalendarDay?

    /// Characters of a title.
    public static let maximumTitleLength = 200
    /// Characters of notes.
    public static let maximumNotesLength = 2_000
    /// Characters of a quote: those of a feedback.
    public static let maximumQuoteLength = FeedbackText.maximumLength
    /// Years a day may be in.
    public static let dueYears = 1970...2100
    /// Bytes a character may have on average, so that stacked combining marks cannot make a short text huge.
    private static let bytesPerCharacter = 16

    /// A content as it is; `validated` checks it.
    public init(
        title: String, notes: String = "", quote: String? = nil, quoteReaders: Team.FeedbackReaders = .leads,
        assignee: User.ID? = nil, due: CalendarDay? = nil
    ) {
        self.title = title
        self.notes = notes
        self.quote = quote
        self.quoteReaders = quoteReaders
        self.assignee = assignee
        self.due = due
    }

    /// The same content fit to be stored: texts without white space at their ends, line ends as `\n`, no empty quote.
    /// - Throws: `AppError.refused` with a reason (`action-title-missing`, `action-too-long`, `action-not-text`,
    ///   `action-due`).
    func validated() throws(AppError) -> ActionContent {
        var valid = self
        valid.title = try Self.text(title, maximum: Self.maximumTitleLength, named: "title")
        guard !valid.title.isEmpty else {
            throw AppError(.refused, "The title is missing.", reason: "action-title-missing")
        }
        guard !valid.title.contains(where: { $0.isNewline || $0 == "\t" }) else { throw Self.notText("title") }
        valid.notes = try Self.text(notes, maximum: Self.maximumNotesLength, named: "notes")
        let quote = try Self.text(quote ?? "", maximum: Self.maximumQuoteLength, named: "quote")
        valid.quote = quote.isEmpty ? nil : quote
        if let due, !Self.dueYears.contains(due.year) {
            throw AppError(
                .refused,
                "The day must be in the years \(Self.dueYears.lowerBound) to \(Self.dueYears.upperBound).",
                reason: "action-due")
        }
        return valid
    }

    private static func text(_ text: String, maximum: Int, named name: String) throws(AppError) -> String {
        let trimmed = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
            .trimmingCharacters(in: .whitespacesAndNewlines)
        guard trimmed.count <= maximum, trimmed.utf8.count <= maximum * bytesPerCharacter else {
            throw AppError(.refused, "The \(name) is longer than \(maximum) characters.", reason: "action-too-long")
        }
        let isText = trimmed.unicodeScalars.allSatisfy {
            $0.properties.generalCategory != .control || $0 == "\t" || $0 == "\n"
        }
        guard isText else { throw notText(name) }
        return trimmed
    }

    private static func notText(_ name: String) -> AppError {
        AppError(.refused, "The \(name) contains a control character.", reason: "action-not-text")
    }
}
