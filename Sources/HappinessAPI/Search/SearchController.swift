import Hummingbird
import Services

/// The search for programs.
struct SearchController: Sendable {
    let pages: PageRenderer
    let viewers: ViewerFinder
    let search: SearchService

    private struct MatchResponse: Encodable {
        let kind: String
        let title: String
        let detail: String
        let address: String
    }

    /// `GET /api/v1/search?search=`: the same matches as the page, the best first.
    func find(_ request: Request, context: AppRequestContext) async throws -> Response {
        let viewed = try await viewers.frame(request, context: context, for: .member)
        let matches = try await search.best(
            for: request.field("search") ?? "", by: try context.requirePrincipal(), in: viewed.frame,
            words: pages.words(viewed.frame), texts: pages.texts.texts)
        let found = matches.map {
            MatchResponse(
                kind: $0.target.kind.rawValue, title: $0.title, detail: $0.detail, address: $0.target.address.path)
        }
        return try JSONBody.response(["matches": found])
    }
}
