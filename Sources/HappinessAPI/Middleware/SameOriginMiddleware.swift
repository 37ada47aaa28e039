import Foundation
import HTTPTypes
import Hummingbird
import Shared

/// Refuses forms that another site's page sends. A browser says where a request comes from in `Sec-Fetch-Site`
/// (Fetch Metadata, https://www.w3.org/TR/fetch-metadata/) or, an older one, in `Origin`; a program says neither, and is
/// no browser that somebody else could make use of.
struct SameOriginMiddleware: RouterMiddleware {
    private let origin: String

    /// - Parameter publicURL: `ServerSettings.publicURL`.
    init(publicURL: String) {
        var parts = URLComponents(string: publicURL)
        parts?.path = ""
        origin = parts?.string ?? publicURL
    }

    func handle(
        _ request: Request, context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        guard isOurs(request.headers) else {
            throw AppError(.forbidden, "This form was sent from another site.", reason: "other-site")
        }
        return try await next(request, context)
    }

    private func isOurs(_ headers: HTTPFields) -> Bool {
        if let site = headers[.secFetchSite] {
            // `none` is somebody's own doing: an address typed, a form sent again after a restart.
            return site == "same-origin" || site == "none"
        }
        // Our own pages send no referrer, and their forms `Origin: null` with it (Fetch §3.2).
        guard let sender = headers[.origin], sender != "null" else { return true }
        return sender == origin
    }
}

extension HTTPField.Name {
    static let secFetchSite = HTTPField.Name.constant("Sec-Fetch-Site")
}
