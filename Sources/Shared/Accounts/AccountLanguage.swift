/// What is known of somebody's language. It is kept as one BCP 47 tag, `User.locale`.
///
/// Only a language that somebody chose outweighs their browser's on pages. What cannot ask a browser, a mail, takes the
/// chosen one, else the one they were seen with last.
public enum AccountLanguage: Hashable, Sendable {
    /// Somebody said so: `de`.
    case chosen(MailLocale)
    /// Nobody said anything; they were seen with this one last, or invited in it: `und-x-de` (RFC 5646 §2.2.7).
    case seen(MailLocale)
    /// Nothing is known: `und`.
    case unknown

    private static let undetermined = "und"
    private static let seenPrefix = "\(undetermined)-x-"

    /// Reads `User.locale`.
    public init(tag: String) {
        let seen = tag.hasPrefix(Self.seenPrefix) ? String(tag.dropFirst(Self.seenPrefix.count)) : ""
        if let locale = MailLocale(rawValue: seen) {
            self = .seen(locale)
        } else if tag.isEmpty || tag.hasPrefix(Self.undetermined) {
            self = .unknown
        } else {
            self = .chosen(MailLocale(tag: tag))
        }
    }

    /// As `User.locale` keeps it.
    public var tag: String {
        switch self {
        case .chosen(let locale): locale.rawValue
        case .seen(let locale): Self.seenPrefix + locale.rawValue
        case .unknown: Self.undetermined
        }
    }

    /// What mails are written in; English for somebody of whom nothing is known.
    public var locale: MailLocale {
        switch self {
        case .chosen(let locale), .seen(let locale): locale
        case .unknown: .english
        }
    }

    /// Whether pages are in this language whatever the browser asks for.
    public var isChosen: Bool {
        switch self {
        case .chosen: true
        case .seen, .unknown: false
        }
    }
}

extension User {
    /// `locale` as what it says.
    public var language: AccountLanguage { AccountLanguage(tag: locale) }
}
