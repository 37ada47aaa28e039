import Domain
import Foundation
import Hummingbird

/// The data that a page's template can read, as `page.NAME`: a struct of texts, booleans and such structs.
protocol Page: Sendable {
    /// The template is `templates/pages/NAME.mustache`.
    static var template: String { get }
    /// The one for users who are logged in, with the frame that the pages behind the login have.
    static var viewedTemplate: String { get }
    /// Whether `SameOriginMiddleware` checks the page's forms by their origin, because they contain no secret of the
    /// sender.
    static var formTellsOrigin: Bool { get }
}

extension Page {
    static var viewedTemplate: String { template }
    static var formTellsOrigin: Bool { false }
}

/// The frame around every page.
struct PageFrame: Sendable {
    /// Language of all texts.
    let language: PageLanguage
    /// Links to the same page in the other languages, for the footer; none in response to a form, which cannot be
    /// repeated.
    let otherLanguages: [LanguageLink]
    /// The theme chosen in this browser; `nil` follows the device.
    let theme: Theme?
    /// The user on a page behind the login; `nil` on other pages.
    var viewer: Viewer?

    /// The address of the page in another language.
    struct LanguageLink: Sendable {
        let language: PageLanguage
        let address: SitePath
    }

    /// - Parameters:
    ///   - userLocale: `User.locale`, if the user is known.
    ///   - isRepeatable: false for a `GET` that works only once.
    init(_ request: Request, userLocale: String? = nil, isRepeatable: Bool = true) {
        language = PageLanguage(request, userLocale: userLocale)
        let others = request.method == .get && isRepeatable ? language.others : []
        otherLanguages = others.compactMap { other in
            Self.address(of: request, in: other).map { LanguageLink(language: other, address: $0) }
        }
        theme = Theme(request)
    }

    /// For a page that is not rendered for a particular user.
    init(language: PageLanguage) {
        self.language = language
        otherLanguages = []
        theme = nil
    }

    /// Path and query of the request with another language.
    private static func address(of request: Request, in language: PageLanguage) -> SitePath? {
        guard var parts = URLComponents(string: request.uri.description) else { return nil }
        // Only the path: the client chose what comes before it.
        parts.scheme = nil
        parts.host = nil
        parts.port = nil
        let others = (parts.queryItems ?? []).filter { $0.name != "language" }
        parts.queryItems = others + [URLQueryItem(name: "language", value: language.rawValue)]
        return parts.string.map(SitePath.init(path:))
    }
}

/// A page with a single message and a link.
struct MessagePage: Page {
    static let template = "message"
    static let viewedTemplate = "message-viewed"

    /// The heading.
    let title: String
    /// One paragraph.
    let text: String
    /// A button; `nil` if there is nothing more to do.
    var next: Link?

    /// A button's destination.
    struct Link: Sendable {
        let address: SitePath
        /// The button's label.
        let label: String

        /// Leads to the login, which redirects users who are logged in already.
        static func logIn(_ words: LocalizedTexts) -> Link {
            Link(address: .login, label: words.text("logIn.title"))
        }

        /// Leads to the start page of a logged-in user: their team's live view.
        static func start(_ words: LocalizedTexts) -> Link {
            Link(address: .start, label: words.text("invitation.start"))
        }
    }
}
