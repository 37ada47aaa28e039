import HTTPTypes
import Hummingbird

/// Headers that keep a browser from doing more with an answer than it is for.
struct SecurityHeadersMiddleware: RouterMiddleware {
    /// Where pages load pictures from, if not from this server: an origin.
    private let pictureOrigin: String?

    init(pictureOrigin: String? = nil) {
        self.pictureOrigin = pictureOrigin
    }

    func handle(
        _ request: Request, context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        response.headers[.xContentTypeOptions] = "nosniff"
        if response.headers[.referrerPolicy] == nil { response.headers[.referrerPolicy] = "no-referrer" }
        if response.headers[.contentSecurityPolicy] == nil {
            response.headers[.contentSecurityPolicy] = Self.nothing
        }
        if let pictureOrigin, response.headers[.contentSecurityPolicy] == Self.page {
            response.headers[.contentSecurityPolicy] = Self.page.replacing(
                Self.pagePictures, with: "\(Self.pagePictures) \(pictureOrigin)")
        }
        return response
    }

    /// For answers that are no pages.
    private static let nothing = "default-src 'none'; frame-ancestors 'none'"
    /// For our own pages: what comes from this server, and no inline script or style.
    static let page =
        "default-src 'self'; \(pagePictures); frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
    private static let pagePictures = "img-src 'self' data:"
    /// For an SVG of ours: its own style element, nothing else; it may be shown in other sites' pages as a picture.
    static let picture = "default-src 'none'; style-src 'unsafe-inline'"
}

extension HTTPField.Name {
    static let referrerPolicy = HTTPField.Name.constant("Referrer-Policy")

    /// A name known to be valid, without a force unwrap at each.
    static func constant(_ name: StaticString) -> HTTPField.Name {
        HTTPField.Name("\(name)") ?? .contentType
    }
}
