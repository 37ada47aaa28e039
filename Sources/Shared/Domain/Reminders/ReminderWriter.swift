/// Writes the text of a reminder: the team's own words if there are any, otherwise the standard ones. A pure value.
package struct ReminderWriter: Sendable {
    private let settings: ReminderSettings
    private let teamName: String
    private let sprint: SprintLabel

    /// Writes for a sprint of a team with these settings.
    package init(settings: ReminderSettings, teamName: String, sprint: SprintLabel) {
        self.settings = settings
        self.teamName = teamName
        self.sprint = sprint
    }

    /// Title and body with everything filled in, within the limits of a `PushMessage`: a long team name may truncate a
    /// text.
    /// - Parameter daysLeft: `ReminderCalendar.daysLeft(on:)` of the day it is sent.
    package func text(for kind: ReminderOccasion.Kind, in locale: MailLocale, daysLeft: Int) -> ReminderText {
        let standard = ReminderText.standard(for: kind, at: settings.timing, in: locale)
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
            case .daysLeft: Self.words(for: daysLeft, in: locale)
            }
        }
    }

    private static func words(for days: Int, in locale: MailLocale) -> String {
        switch locale {
        case .english: days == 1 ? "1 day" : "\(days) days"
        case .german: days == 1 ? "1 Tag" : "\(days) Tage"
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

extension ReminderText {
    /// The label of the button of a reminder that asks for another one.
    package static func later(in locale: MailLocale) -> String {
        switch locale {
        case .english: "Remind me later"
        case .german: "Später erinnern"
        }
    }

    /// The standard text of each reminder in each language, with placeholders.
    package static func standardTexts(
        at timing: ReminderTiming
    ) -> [ReminderOccasion.Kind: [MailLocale: ReminderText]] {
        Dictionary(
            uniqueKeysWithValues: ReminderOccasion.Kind.allCases.map { kind in
                let texts = MailLocale.allCases.map { ($0, standard(for: kind, at: timing, in: $0)) }
                return (kind, Dictionary(uniqueKeysWithValues: texts))
            })
    }

    /// The text for teams without words of their own. The first reminder at the end of a sprint asks about the sprint.
    package static func standard(
        for kind: ReminderOccasion.Kind, at timing: ReminderTiming, in locale: MailLocale
    ) -> ReminderText {
        switch (kind, timing, locale) {
        case (.first, .end, .english):
            ReminderText(
                title: "How happy were you this sprint?",
                body: "Take 30 seconds to tell {team} how this sprint went.")
        case (.first, .end, .german):
            ReminderText(
                title: "Wie zufrieden warst du in diesem Sprint?",
                body: "Nimm dir 30 Sekunden und sag {team}, wie der Sprint für dich war.")
        case (.first, .start, .english):
            ReminderText(title: "How happy are you?", body: "Take 30 seconds to tell {team} how you’re doing.")
        case (.first, .start, .german):
            ReminderText(
                title: "Wie zufrieden bist du?", body: "Nimm dir 30 Sekunden und sag {team}, wie es dir geht.")
        case (.second, _, .english):
            ReminderText(
                title: "{daysLeft} left to vote",
                body: "There’s still time to tell {team} how the sprint went. It takes 30 seconds.")
        case (.second, _, .german):
            ReminderText(
                title: "Noch {daysLeft} zum Abstimmen",
                body: "Du kannst {team} noch sagen, wie der Sprint für dich war. Es dauert 30 Sekunden.")
        }
    }
}
