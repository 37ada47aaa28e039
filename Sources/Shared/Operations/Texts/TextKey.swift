/// Identifies one of the program's texts in one language.
public struct TextKey: Hashable, Sendable {
    /// The language it is in.
    public let language: MailLocale
    /// `SECTION.KEY`, as in `templates/messages/LANGUAGE.json`.
    public let name: String

    /// The name need not exist in the catalogue.
    public init(_ name: String, in language: MailLocale) {
        self.language = language
        self.name = name
    }
}

/// A customised text that replaces one of the program's.
public struct OwnText: Hashable, Sendable {
    /// The replaced text.
    public let key: TextKey
    /// The replacement.
    public let text: String

    /// Pairs the replaced text with its replacement.
    public init(key: TextKey, text: String) {
        self.key = key
        self.text = text
    }
}

/// A change of a text. Its author is not stored.
public struct TextChange: Hashable, Sendable {
    /// The new text; `nil` for the program's own.
    public let text: String?
    /// The UTC day of the change.
    public let day: CalendarDay

    /// Maximum number of stored changes per text.
    public static let maximumCount = 20

    /// A `nil` text restores the program's own.
    public init(text: String?, day: CalendarDay) {
        self.text = text
        self.day = day
    }
}
