import HTTPTypes
import Hummingbird
import Shared

/// Refusals as pages, for who goes to an address with a browser: a mistyped one, a form that came from another site.
/// Programs get a document that they can read.
struct ErrorPages: Sendable {
    let pages: PageRenderer

    /// Header fields of a refusal that say the same with a page.
    private static let kept: [HTTPField.Name] = [.retryAfter, .allow, .connection]

    /// The same refusal as a page; the answer itself for a program.
    /// - Throws: as `PageRenderer.html`.
    func readable(_ answer: Response, to request: Request, error: AppError) throws -> Response {
        guard Self.isRead(request) else { return answer }
        var page = try pages.response(to: error, in: PageFrame(request), status: answer.status)
        for name in Self.kept { page.headers[name] = answer.headers[name] }
        return page
    }

    /// Whether a person reads the answer. Browsers ask for pages in this way and programs do not; below the APIs' paths
    /// a document is what everybody expects.
    private static func isRead(_ request: Request) -> Bool {
        let path = request.uri.path
        guard case .problem = ErrorStyle(path: path), !path.hasPrefix("/api/") else { return false }
        return request.headers[.accept]?.contains("text/html") == true
    }
}
