import Foundation
import HTTPTypes
import Hummingbird
import Shared

/// Refuses forms that another site's page sends. A browser says where a request comes from in `Sec-Fetch-Site`
/// (Fetch Metadata, https://www.w3.org/TR/fetch-metadata/) or, an older one and every one without TLS, in `Origin`; a
/// program says neither, and is no browser that somebody else could make use of. The pages of these forms are
/// `Page.formTellsOrigin`.
struct SameOriginMiddleware: RouterMiddleware {
    private let origin: String
    private let scheme: String

    /// - Parameter publicURL: `ServerSettings.publicURL`.
    init(publicURL: String) {
        var parts = URLComponents(string: publicURL)
        parts?.path = ""
        origin = parts?.string ?? publicURL
        scheme = parts?.scheme ?? "http"
    }

    func handle(
        _ request: Request, context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        guard isOurs(request) else {
            throw AppError(.forbidden, "This form was sent from another site.", reason: "other-site")
        }
        return try await next(request, context)
    }

    private func isOurs(_ request: Request) -> Bool {
        if let site = request.headers[.secFetchSite] {
            // `none` is somebody's own doing: an address typed, a form sent again after a restart.
            return site == "same-origin" || site == "none"
        }
        guard let sender = request.headers[.origin] else { return true }
        if sender == origin { return true }
        // Reached under another name than the public one, as in a first trial on the own network: no other site's page
        // has the origin that the browser itself put into the `Host` of this request.
        return request.head.authority.map { sender == "\(scheme)://\($0)" } ?? false
    }
}

extension HTTPField.Name {
    static let secFetchSite = HTTPField.Name.constant("Sec-Fetch-Site")
}
