import HTTPTypes
import Hummingbird

/// Sets headers that restrict what a browser does with a response.
struct SecurityHeadersMiddleware: RouterMiddleware {
    /// The origin of pictures in pages, unless it is this server.
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

    /// Policy for responses other than pages.
    private static let nothing = "default-src 'none'; frame-ancestors 'none'"
    /// Policy for our pages: resources of this server only, no inline script or style.
    static let page =
        "default-src 'self'; \(pagePictures); frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
    private static let pagePictures = "img-src 'self' data:"
    /// Policy for our SVGs: their own style element only. Pages of other sites may embed them as pictures.
    static let picture = "default-src 'none'; style-src 'unsafe-inline'"
}

extension HTTPField.Name {
    static let referrerPolicy = HTTPField.Name.constant("Referrer-Policy")

    /// A header name that is known to be valid; avoids a force unwrap at each use.
    static func constant(_ name: StaticString) -> HTTPField.Name {
        HTTPField.Name("\(name)") ?? .contentType
    }
}
