import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Services

/// Serves pages and documents that are the same for everyone and read once at start.
struct DocumentController: Sendable {
    private let api: CachedResponse
    private let description: CachedResponse

    /// - Throws: a file system error if the installation is incomplete.
    init(resources: Resources, publicPath: PublicPath) throws {
        let page = String(decoding: try resources.data("templates/pages/api.html"), as: UTF8.self)
        api = CachedResponse(
            bytes: ByteBuffer(string: publicPath.added(toTemplate: page)), mediaType: "text/html; charset=utf-8",
            isPublic: true)
        description = CachedResponse(
            bytes: ByteBuffer(bytes: try resources.data("openapi/openapi.yaml")), mediaType: "application/yaml",
            isPublic: true)
    }

    /// `GET /api`: the API's documentation.
    func apiPage(_ request: Request, context: AppRequestContext) -> Response {
        Self.asPage(api.response(to: request))
    }

    /// `GET /openapi.yaml`
    func openAPI(_ request: Request, context: AppRequestContext) -> Response {
        description.response(to: request)
    }

    private static func asPage(_ response: Response) -> Response {
        var response = response
        response.headers[.contentSecurityPolicy] = SecurityHeadersMiddleware.page
        return response
    }
}
