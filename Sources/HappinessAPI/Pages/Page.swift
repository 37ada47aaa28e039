import Foundation
import Hummingbird

/// What the template of one page may see, as `page.NAME`: a struct of texts, flags and structs of these.
protocol Page: Sendable {
    /// The template is `templates/pages/NAME.mustache`.
    static var template: String { get }
    /// Whether a form of the page is known as ours by where it comes from (`SameOriginMiddleware`), since it holds no
    /// secret of its sender's.
    static var formTellsOrigin: Bool { get }
}

extension Page {
    static var formTellsOrigin: Bool { false }
}

/// What is around every page.
struct PageFrame: Sendable {
    /// Language of all texts.
    let language: PageLanguage
    /// The same page in the other language, for the link in the foot; `nil` for the answer to a form, which cannot be
    /// asked for again.
    let otherLanguage: String?
    /// What this browser has chosen; `nil` follows its device.
    let theme: Theme?
    /// Who looks at a page behind the log-in; `nil` on every other page.
    var viewer: Viewer?

    /// - Parameters:
    ///   - userLocale: `User.locale`, when it is known who looks at the page.
    ///   - isRepeatable: false for a `GET` that counts once.
    init(_ request: Request, userLocale: String? = nil, isRepeatable: Bool = true) {
        language = PageLanguage(request, userLocale: userLocale)
        otherLanguage = request.method == .get && isRepeatable ? Self.address(of: request, in: language.other) : nil
        theme = Theme(request)
    }

    /// Of a page that is made for nobody in particular.
    init(language: PageLanguage) {
        self.language = language
        otherLanguage = nil
        theme = nil
    }

    /// Path and query of the request, with another language.
    private static func address(of request: Request, in language: PageLanguage) -> String? {
        guard var parts = URLComponents(string: request.uri.description) else { return nil }
        // The path only: what came in front of it was the client's word.
        parts.scheme = nil
        parts.host = nil
        parts.port = nil
        let others = (parts.queryItems ?? []).filter { $0.name != "language" }
        parts.queryItems = others + [URLQueryItem(name: "language", value: language.rawValue)]
        return parts.string
    }
}

/// A page that says one thing, and where to go on from there.
struct MessagePage: Page {
    static let template = "message"

    /// The heading.
    let title: String
    /// One paragraph.
    let text: String
    /// A button that leads on; `nil` for a page where all is said.
    var next: Link?

    /// Where a button leads.
    struct Link: Sendable {
        /// A path of ours.
        let address: String
        /// What the button says.
        let label: String

        /// To the log-in; somebody who is logged in goes on from there by themselves.
        static func logIn(_ words: PageWords) -> Link {
            Link(address: LogInPages.path, label: words.text("logIn.title"))
        }

        /// To where somebody who is logged in begins: the live view of their team.
        static func start(_ words: PageWords) -> Link {
            Link(address: "/", label: words.text("invitation.start"))
        }
    }
}
