import HTTPTypes
import Hummingbird

/// Sets headers that restrict what a browser does with a response.
struct SecurityHeadersMiddleware: RouterMiddleware {
    private let pagePolicy: String

    /// - Parameter pictureOrigin: of pictures in pages, unless it is this server.
    init(pictureOrigin: String? = nil) {
        var policy = Self.page
        if let pictureOrigin {
            policy = policy.replacing(Self.pagePictures, with: "\(Self.pagePictures) \(pictureOrigin)")
        }
        pagePolicy = policy
    }

    func handle(
        _ request: Request, context: AppRequestContext, next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        response.headers[.xContentTypeOptions] = "nosniff"
        if response.headers[.referrerPolicy] == nil { response.headers[.referrerPolicy] = "no-referrer" }
        if response.headers[.contentSecurityPolicy] == nil {
            response.headers[.contentSecurityPolicy] = Self.nothing
        }
        if response.headers[.contentSecurityPolicy] == Self.page {
            response.headers[.contentSecurityPolicy] = pagePolicy
        }
        return response
    }

    /// Policy for responses other than pages.
    private static let nothing = "default-src 'none'; frame-ancestors 'none'"
    /// Policy for our pages: resources of this server only, no inline script or style. The middleware adds the origin
    /// of pictures.
    static let page =
        "default-src 'self'; \(pagePictures); frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
    private static let pagePictures = "img-src 'self' data:"
    /// Policy for our SVGs: their own style element only. Pages of other sites may embed them as pictures.
    static let picture = "default-src 'none'; style-src 'unsafe-inline'"
}
