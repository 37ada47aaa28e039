/// Identifies one of the program's texts in one language.
package struct TextKey: Hashable, Sendable {
    package let language: MailLocale
    /// `SECTION.KEY`, as in `templates/messages/LANGUAGE.json`.
    package let name: String

    /// The name need not exist in the catalogue.
    package init(_ name: String, in language: MailLocale) {
        self.language = language
        self.name = name
    }
}

/// A customised text that replaces one of the program's.
package struct OwnText: Hashable, Sendable {
    /// The replaced text.
    package let key: TextKey
    /// The replacement.
    package let text: String

    /// Pairs the replaced text with its replacement.
    package init(key: TextKey, text: String) {
        self.key = key
        self.text = text
    }
}

/// A change of a text. Its author is not stored.
package struct TextChange: Hashable, Sendable {
    /// The new text; `nil` for the program's own.
    package let text: String?
    /// The UTC day of the change.
    package let day: CalendarDay

    /// Maximum number of stored changes per text.
    package static let maximumCount = 20

    /// A `nil` text restores the program's own.
    package init(text: String?, day: CalendarDay) {
        self.text = text
        self.day = day
    }
}
