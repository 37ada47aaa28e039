import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Services

/// Serves pages and documents that are the same for everyone and read once at start.
struct DocumentController: Sendable {
    private let api: CachedAnswer
    private let description: CachedAnswer

    /// - Throws: a file system error if the installation is incomplete.
    init(resources: Resources) throws {
        api = try Self.page(resources, "api")
        description = CachedAnswer(
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

    private static func page(_ resources: Resources, _ name: String) throws -> CachedAnswer {
        CachedAnswer(
            bytes: ByteBuffer(bytes: try resources.data("templates/pages/\(name).html")),
            mediaType: "text/html; charset=utf-8", isPublic: true)
    }

    private static func asPage(_ response: Response) -> Response {
        var response = response
        response.headers[.contentSecurityPolicy] = SecurityHeadersMiddleware.page
        return response
    }
}
