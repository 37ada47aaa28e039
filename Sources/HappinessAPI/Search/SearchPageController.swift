import Domain
import Hummingbird
import Services

/// The search on a page. `search.js` fetches it again while the user types.
struct SearchPageController: Sendable {
    let pages: PageRenderer
    let viewers: ViewerFinder
    let search: SearchService

    /// `GET /search?search=`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await viewers.renderingErrors(request, context, with: pages) {
            let viewed = try await viewers.frame(request, context: context, for: .member)
            let words = pages.words(viewed.frame)
            let typed = request.field("search") ?? ""
            let matches = try await search.best(
                for: typed, by: try context.requirePrincipal(), in: viewed.frame, words: words,
                texts: pages.texts.texts)
            return try pages.response(SearchPage(matches, typed: typed, words: words), in: viewed.frame)
        }
    }
}

/// The field and the best matches.
struct SearchPage: Page {
    static let template = "search"

    /// The input.
    let search: String
    let matches: [Match]
    let hasMatches: Bool
    /// The number of matches; `nil` if nothing was searched for.
    let found: String?

    struct Match: Sendable {
        let address: SitePath
        /// The kind of match, in one word.
        let kind: String
        /// Parts of the title.
        let title: [Piece]
        let detail: String

        struct Piece: Sendable {
            let text: String
            /// Whether it was searched for.
            let isHit: Bool
        }
    }

    init(_ matches: [SearchMatch], typed: String, words: LocalizedTexts) {
        let terms = SearchTerms(typed)
        self.init(
            search: typed,
            matches: matches.map { match in
                Match(
                    address: match.target.address, kind: match.target.kind.label(words),
                    title: terms.pieces(of: match.title).map { .init(text: $0.text, isHit: $0.isHit) },
                    detail: match.detail)
            },
            found: terms.isEmpty
                ? nil
                : matches.isEmpty
                    ? words.text("search.nothing")
                    : words.text("search.found", count: matches.count, ["count": String(matches.count)]))
    }

    init(search: String, matches: [Match], found: String?) {
        self.search = search
        self.matches = matches
        hasMatches = !matches.isEmpty
        self.found = found
    }
}
