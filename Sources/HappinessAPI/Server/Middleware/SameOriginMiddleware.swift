import Domain
import Foundation
import HTTPTypes
import Hummingbird

/// Rejects forms that another site's page sends. Browsers send the origin of a request in `Sec-Fetch-Site` (Fetch
/// Metadata, https://www.w3.org/TR/fetch-metadata/); older ones, and all of them without TLS, in `Origin`. Programs
/// send neither, and another site cannot make them send a request. The pages with these forms set
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
        _ request: Request, context: AppRequestContext, next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        guard isOurs(request) else {
            throw AppError(.forbidden, "This form was sent from another site.", reason: .otherSite)
        }
        return try await next(request, context)
    }

    private func isOurs(_ request: Request) -> Bool {
        if let site = request.headers[.secFetchSite] {
            // `none` means that the user started the request: typed the address, or resent the form after a restart.
            return site == "same-origin" || site == "none"
        }
        guard let sender = request.headers[.origin] else { return true }
        if sender == origin { return true }
        // The server is reached under another name than the public one, for example in a first trial on a local
        // network. No page of another site has the origin that the browser itself put into this request's `Host`.
        return request.head.authority.map { sender == "\(scheme)://\($0)" } ?? false
    }
}

extension HTTPField.Name {
    static let secFetchSite = HTTPField.Name.constant("Sec-Fetch-Site")
}
