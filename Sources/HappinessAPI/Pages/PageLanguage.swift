import Domain
import HTTPTypes
import Hummingbird

/// A language pages are written in: one of the installation's (`MailLocale.allCases`).
struct PageLanguage: Hashable, Sendable, CaseIterable {
    /// The same language for mails.
    let mailLocale: MailLocale

    /// English; also the default if the user reads none of the installation's.
    static let english = PageLanguage(.english)
    /// German.
    static let german = PageLanguage(.german)

    static var allCases: [PageLanguage] { MailLocale.allCases.map { PageLanguage($0) } }

    /// - Parameter locale: an installed language.
    init(_ locale: MailLocale) { mailLocale = locale }

    /// `de`
    var rawValue: String { mailLocale.rawValue }

    /// The language in `?language=`, else the one chosen by the user (`AccountLanguage`), else the browser's preferred
    /// one.
    /// - Parameter userLocale: `User.locale`, if the user is known.
    init(_ request: Request, userLocale: String? = nil) {
        self =
            request.query("language").flatMap(Self.init(tag:)) ?? userLocale.flatMap(Self.init(tag:))
            ?? Self(acceptLanguage: request.headers[.acceptLanguage] ?? "")
    }

    /// The best match for `Accept-Language`, or English.
    init(acceptLanguage: String) {
        self.init(MailLocale(acceptLanguage: acceptLanguage) ?? .english)
    }

    /// By the first subtag of a BCP 47 tag such as `de-AT`; `nil` for a language without pages.
    init?(tag: String) {
        guard let locale = MailLocale(range: tag) else { return nil }
        self.init(locale)
    }

    /// The languages to switch to.
    var others: [PageLanguage] { Self.allCases.filter { $0 != self } }
}
