import Foundation

/// The part of an action that members write.
package struct ActionContent: Hashable, Sendable {
    /// The change in one line.
    package var title: String
    /// Further details; may be empty.
    package var notes: String
    /// A copy of a feedback text, as edited by the lead who created the action; `nil` if the action has another origin.
    package var quote: String?
    /// Who may read the quote: never more people than announced to the feedback's writer.
    package var quoteReaders: Team.FeedbackReaders
    /// The member responsible for it; `nil` if nobody is yet.
    package var assignee: User.ID?
    /// The last day for it, in team time.
    package var due: CalendarDay?

    /// Maximum length of a title in characters.
    package static let maximumTitleLength = 200
    /// Maximum length of notes in characters.
    package static let maximumNotesLength = 2_000
    /// Maximum length of a quote in characters: that of a feedback.
    package static let maximumQuoteLength = FeedbackText.maximumLength
    /// Valid years of a due day.
    package static let dueYears = 1970...2100
    /// Average bytes allowed per character, so that stacked combining marks cannot make a short text huge.
    private static let bytesPerCharacter = 16

    /// Takes the values unchecked; `validated` checks them.
    package init(
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

    /// The content ready to be stored: texts trimmed, line ends as `\n`, no empty quote.
    /// - Throws: `AppError.unprocessable` with a reason (`action-title-missing`, `action-too-long`, `action-not-text`,
    ///   `action-due`).
    package func validated() throws(AppError) -> ActionContent {
        var valid = self
        valid.title = try Self.text(title, maximum: Self.maximumTitleLength, named: "title")
        guard !valid.title.isEmpty else {
            throw AppError(.unprocessable, "The title is missing.", reason: .actionTitleMissing)
        }
        guard !valid.title.contains(where: { $0.isNewline || $0 == "\t" }) else { throw Self.notText("title") }
        valid.notes = try Self.text(notes, maximum: Self.maximumNotesLength, named: "notes")
        let quote = try Self.text(quote ?? "", maximum: Self.maximumQuoteLength, named: "quote")
        valid.quote = quote.isEmpty ? nil : quote
        if let due, !Self.dueYears.contains(due.year) {
            throw AppError(
                .unprocessable,
                "The day must be in the years \(Self.dueYears.lowerBound) to \(Self.dueYears.upperBound).",
                reason: .actionDue)
        }
        return valid
    }

    private static func text(_ text: String, maximum: Int, named name: String) throws(AppError) -> String {
        let trimmed = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
            .trimmingCharacters(in: .whitespacesAndNewlines)
        guard trimmed.count <= maximum, trimmed.utf8.count <= maximum * bytesPerCharacter else {
            throw AppError(
                .unprocessable, "The \(name) is longer than \(maximum) characters.", reason: .actionTooLong)
        }
        let isText = trimmed.unicodeScalars.allSatisfy {
            $0.properties.generalCategory != .control || $0 == "\t" || $0 == "\n"
        }
        guard isText else { throw notText(name) }
        return trimmed
    }

    private static func notText(_ name: String) -> AppError {
        AppError(.unprocessable, "The \(name) contains a control character.", reason: .actionNotText)
    }
}
