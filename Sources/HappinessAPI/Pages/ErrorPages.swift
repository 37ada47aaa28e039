import Domain
import HTTPTypes
import Hummingbird

/// Shows errors as pages in a browser, for example for a mistyped address or a form sent by another site. Programs get
/// a document they can parse.
struct ErrorPages: Sendable {
    let pages: PageRenderer

    /// Headers of the error response that the page keeps.
    private static let kept: [HTTPField.Name] = [.retryAfter, .allow, .connection]

    /// The error as a page; for a program, the unchanged response.
    /// - Throws: as `PageRenderer.html`.
    func readable(_ response: Response, to request: Request, error: AppError) throws -> Response {
        guard Self.isRead(request) else { return response }
        var page = try pages.response(to: error, in: PageFrame(request), status: response.status)
        for name in Self.kept { page.headers[name] = response.headers[name] }
        return page
    }

    /// Whether a person reads the response. Browsers request pages with these headers and programs do not; paths of the
    /// APIs always get a document.
    private static func isRead(_ request: Request) -> Bool {
        let path = request.uri.path
        guard case .problem = ErrorStyle(path: path), !path.hasPrefix("/api/") else { return false }
        return request.headers[.accept]?.contains("text/html") == true
    }
}
