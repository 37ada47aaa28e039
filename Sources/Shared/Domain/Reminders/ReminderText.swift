import Foundation

/// Title and body of a reminder, either as a team writes them, with placeholders, or as sent.
///
/// In a team's own text an empty part means the standard one. `{team}`, `{sprint}` and `{days}` are replaced by the
/// team's name, the sprint's label and the number of days left in the sprint, including today; `{daysLeft}` by that
/// number with the word for it.
package struct ReminderText: Hashable, Encodable, Sendable {
    /// One line, at most `PushMessage.maximumTitleLength` characters.
    package var title: String
    /// One or two sentences, at most `PushMessage.maximumBodyLength` characters.
    package var body: String

    /// Takes the text unchecked; `validated` checks it.
    package init(title: String = "", body: String = "") {
        self.title = title
        self.body = body
    }

    /// Whether both parts use the standard text.
    package var isEmpty: Bool { title.isEmpty && body.isEmpty }

    /// Average bytes per character: the maximum of one scalar in UTF-8. So title and body always leave room for the
    /// rest of the 4,096 bytes that push services accept.
    static let bytesPerCharacter = 4

    /// The text with both parts trimmed.
    /// - Throws: `AppError.unprocessable` with the reason; `unknown-placeholder`, naming it.
    func validated() throws(AppError) -> ReminderText {
        ReminderText(
            title: try Self.validated(title, named: "title", limit: PushMessage.maximumTitleLength),
            body: try Self.validated(body, named: "body", limit: PushMessage.maximumBodyLength))
    }

    private static func validated(_ text: String, named name: String, limit: Int) throws(AppError) -> String {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard trimmed.count <= limit, trimmed.utf8.count <= limit * bytesPerCharacter else {
            throw AppError(
                .unprocessable,
                "The \(name) is longer than \(limit) characters or \(limit * bytesPerCharacter) bytes.")
        }
        guard !trimmed.unicodeScalars.contains(where: isControl) else {
            throw AppError(.unprocessable, "The \(name) contains a control character or more than one line.")
        }
        let template = ReminderTemplate(trimmed)
        if let unknown = template.unknownPlaceholders.first {
            let known = ReminderTemplate.Placeholder.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")
            throw AppError(
                .unprocessable, "There’s no placeholder {\(unknown)}. There are: \(known).",
                reason: .unknownPlaceholder)
        }
        guard !template.hasStrayBrace else {
            throw AppError(.unprocessable, "The \(name) has a brace that belongs to no placeholder.")
        }
        return trimmed
    }

    /// Control characters and line separators. Format characters are allowed: emoji are joined by them.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

extension ReminderText {
    /// The standard text of each reminder in each language, with placeholders.
    package static func standardTexts(
        at timing: ReminderTiming, in texts: Texts
    ) -> [ReminderOccasion.Kind: [MailLocale: ReminderText]] {
        Dictionary(
            uniqueKeysWithValues: ReminderOccasion.Kind.allCases.map { kind in
                let standard = texts.languages.map { ($0, self.standard(for: kind, at: timing, in: texts[$0])) }
                return (kind, Dictionary(uniqueKeysWithValues: standard))
            })
    }

    /// The text for teams without words of their own. The first reminder at the end of a sprint asks about the sprint.
    package static func standard(
        for kind: ReminderOccasion.Kind, at timing: ReminderTiming, in words: LocalizedTexts
    ) -> ReminderText {
        switch (kind, timing) {
        case (.first, .end):
            ReminderText(title: words.text("reminder.endTitle"), body: words.text("reminder.endBody"))
        case (.first, .start):
            ReminderText(title: words.text("reminder.startTitle"), body: words.text("reminder.startBody"))
        case (.second, _):
            ReminderText(title: words.text("reminder.secondTitle"), body: words.text("reminder.secondBody"))
        }
    }
}
