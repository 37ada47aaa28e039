/// The known language preference of a user. It is stored as one BCP 47 tag, `User.locale`.
///
/// On pages only a chosen language overrides the browser's. Mails, which cannot ask a browser, use the chosen language,
/// otherwise the one last seen.
package enum AccountLanguage: Hashable, Sendable {
    /// Chosen by the user in the settings, or with the form that created the account: `de`.
    case chosen(MailLocale)
    /// Not chosen; last used on pages: `und-x-de` (RFC 5646 §2.2.7).
    case seen(MailLocale)
    /// Unknown: `und`.
    case unknown

    private static let undetermined = "und"
    private static let seenPrefix = "\(undetermined)-x-"

    /// Parses `User.locale`.
    package init(tag: String) {
        let seen = tag.hasPrefix(Self.seenPrefix) ? String(tag.dropFirst(Self.seenPrefix.count)) : ""
        if let locale = MailLocale(installed: seen) {
            self = .seen(locale)
        } else if tag.isEmpty || tag.hasPrefix(Self.undetermined) {
            self = .unknown
        } else {
            self = .chosen(MailLocale(tag: tag))
        }
    }

    /// The stored form for `User.locale`.
    package var tag: String {
        switch self {
        case .chosen(let locale): locale.rawValue
        case .seen(let locale): Self.seenPrefix + locale.rawValue
        case .unknown: Self.undetermined
        }
    }

    /// The language of mails; English if unknown.
    package var locale: MailLocale {
        switch self {
        case .chosen(let locale), .seen(let locale): locale
        case .unknown: .english
        }
    }

    /// Whether pages use this language whatever the browser requests.
    package var isChosen: Bool {
        switch self {
        case .chosen: true
        case .seen, .unknown: false
        }
    }
}

extension User {
    /// `locale`, parsed.
    package var language: AccountLanguage { AccountLanguage(tag: locale) }
}
