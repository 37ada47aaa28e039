/// Which text: one of the program's, in one language.
public struct TextKey: Hashable, Sendable {
    /// The language it is in.
    public let language: MailLocale
    /// `SECTION.KEY`, as in `templates/messages/LANGUAGE.json`.
    public let name: String

    /// The text of this name in a language; there may be none.
    public init(_ name: String, in language: MailLocale) {
        self.language = language
        self.name = name
    }
}

/// A text of the installation's own in the place of one of the program's.
public struct OwnText: Hashable, Sendable {
    /// Which one.
    public let key: TextKey
    /// What is said instead.
    public let text: String

    /// An own text from its parts.
    public init(key: TextKey, text: String) {
        self.key = key
        self.text = text
    }
}

/// What became of a text at some time. Who did it is not kept.
public struct TextChange: Hashable, Sendable {
    /// The text from then on; `nil` for the program's own.
    public let text: String?
    /// The day in UTC.
    public let day: CalendarDay

    /// Changes of one text that are kept.
    public static let maximumCount = 20

    /// A change from its parts.
    public init(text: String?, day: CalendarDay) {
        self.text = text
        self.day = day
    }
}
