/// Writes the text of a reminder: the team's own words if there are any, otherwise the standard ones. A pure value.
package struct ReminderWriter: Sendable {
    private let settings: ReminderSettings
    private let teamName: String
    private let sprint: SprintLabel
    private let texts: Texts

    /// Writes for a sprint of a team with these settings.
    /// - Parameter texts: for the standard texts.
    package init(settings: ReminderSettings, teamName: String, sprint: SprintLabel, texts: Texts) {
        self.texts = texts
        self.settings = settings
        self.teamName = teamName
        self.sprint = sprint
    }

    /// Title and body with everything filled in, within the limits of a `PushMessage`: a long team name may truncate a
    /// text.
    /// - Parameter daysLeft: `ReminderCalendar.daysLeft(on:)` of the day it is sent.
    package func text(for kind: ReminderOccasion.Kind, in locale: MailLocale, daysLeft: Int) -> ReminderText {
        let standard = ReminderText.standard(for: kind, at: settings.timing, in: texts[locale])
        let own = settings.texts[kind]?[locale] ?? ReminderText()
        let title = fill(own.title.isEmpty ? standard.title : own.title, in: locale, daysLeft: daysLeft)
        let body = fill(own.body.isEmpty ? standard.body : own.body, in: locale, daysLeft: daysLeft)
        return ReminderText(
            title: Self.clipped(title, to: PushMessage.maximumTitleLength),
            body: Self.clipped(body, to: PushMessage.maximumBodyLength))
    }

    private func fill(_ text: String, in locale: MailLocale, daysLeft: Int) -> String {
        ReminderTemplate(text).filled { placeholder in
            switch placeholder {
            case .team: teamName
            case .sprint: sprint.description
            case .days: String(daysLeft)
            case .daysLeft:
                texts[locale].text("reminder.daysLeft", count: daysLeft, ["days": String(daysLeft)])
            }
        }
    }

    /// The text, truncated with an ellipsis if it is too long. Characters stay whole.
    private static func clipped(_ text: String, to limit: Int) -> String {
        let bytes = limit * ReminderText.bytesPerCharacter
        guard text.count > limit || text.utf8.count > bytes else { return text }
        var clipped = ""
        for character in text.prefix(limit - 1) {
            guard clipped.utf8.count + character.utf8.count + "…".utf8.count <= bytes else { break }
            clipped.append(character)
        }
        return clipped + "…"
    }
}

/// A text split at its placeholders. Filled in one pass, so that a team called `{days}` keeps its name.
struct ReminderTemplate {
    /// The supported placeholders.
    enum Placeholder: String, CaseIterable {
        /// The team's name.
        case team
        /// The sprint's label.
        case sprint
        /// Days left in the sprint, including today, as a number.
        case days
        /// The same in words: `1 day`, `3 days`.
        case daysLeft
    }

    private enum Part {
        case text(Substring)
        /// The name between the braces.
        case placeholder(Substring)
    }

    private let parts: [Part]
    /// Whether a brace is unmatched. It is kept unchanged.
    let hasStrayBrace: Bool

    /// Splits any text; accepts every input.
    init(_ text: String) {
        var parts: [Part] = []
        var hasStrayBrace = false
        var rest = text[...]
        while let brace = rest.firstIndex(where: Self.isBrace) {
            parts.append(.text(rest[..<brace]))
            let behind = rest[rest.index(after: brace)...]
            if rest[brace] == "{", let end = behind.firstIndex(where: Self.isBrace), behind[end] == "}" {
                parts.append(.placeholder(behind[..<end]))
                rest = behind[behind.index(after: end)...]
            } else {
                hasStrayBrace = true
                parts.append(.text(rest[brace...brace]))
                rest = behind
            }
        }
        self.parts = parts + [.text(rest)]
        self.hasStrayBrace = hasStrayBrace
    }

    /// Names between braces that are not in `Placeholder`, in order.
    var unknownPlaceholders: [String] {
        parts.compactMap { part in
            guard case .placeholder(let name) = part, Placeholder(rawValue: String(name)) == nil else { return nil }
            return String(name)
        }
    }

    /// The text with all placeholders replaced; an unknown one is kept unchanged.
    func filled(_ value: (Placeholder) -> String) -> String {
        parts.map { part in
            switch part {
            case .text(let text): String(text)
            case .placeholder(let name): Placeholder(rawValue: String(name)).map(value) ?? "{\(name)}"
            }
        }.joined()
    }

    private static func isBrace(_ character: Character) -> Bool {
        character == "{" || character == "}"
    }
}
