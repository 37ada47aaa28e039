import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Shared

/// Pages and documents that are the same for everybody, read once at start.
struct DocumentController: Sendable {
    private let api: CachedAnswer
    private let description: CachedAnswer

    /// - Throws: an error of the file system if a file is missing: then the installation is not whole.
    init(resources: Resources) throws {
        api = try Self.page(resources, "api")
        description = CachedAnswer(
            bytes: ByteBuffer(bytes: try resources.data("openapi/openapi.yaml")), mediaType: "application/yaml")
    }

    /// `GET /api`: a page to read the API's description.
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
            mediaType: "text/html; charset=utf-8")
    }

    private static func asPage(_ response: Response) -> Response {
        var response = response
        response.headers[.contentSecurityPolicy] = SecurityHeadersMiddleware.page
        return response
    }
}
