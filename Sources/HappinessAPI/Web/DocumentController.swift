import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Shared

/// Pages and files that are the same for everybody, read once at start.
struct DocumentController: Sendable {
    private let start: CachedAnswer
    private let api: CachedAnswer
    private let description: CachedAnswer
    private let assets: [String: CachedAnswer]

    /// - Throws: an error of the file system if a file is missing: then the installation is not whole.
    init(resources: Resources) throws {
        start = try Self.page(resources, "start")
        api = try Self.page(resources, "api")
        description = CachedAnswer(
            bytes: ByteBuffer(bytes: try resources.data("openapi/openapi.yaml")), mediaType: "application/yaml")
        var assets: [String: CachedAnswer] = [:]
        for name in try resources.names(in: "public") {
            guard let type = Self.mediaTypes[name.split(separator: ".").last.map(String.init) ?? ""] else { continue }
            assets[name] = CachedAnswer(bytes: ByteBuffer(bytes: try resources.data("public/\(name)")), mediaType: type)
        }
        self.assets = assets
    }

    /// `GET /`
    func startPage(_ request: Request, context: AppRequestContext) -> Response {
        Self.asPage(start.response(to: request))
    }

    /// `GET /api`: a page to read the API's description.
    func apiPage(_ request: Request, context: AppRequestContext) -> Response {
        Self.asPage(api.response(to: request))
    }

    /// `GET /openapi.yaml`
    func openAPI(_ request: Request, context: AppRequestContext) -> Response {
        description.response(to: request)
    }

    /// `GET /assets/{name}`
    func asset(_ request: Request, context: AppRequestContext) throws -> Response {
        guard let name = context.parameters.get("name"), let asset = assets[name] else {
            throw AppError(.notFound, "There is no such file.")
        }
        return asset.response(to: request)
    }

    private static let mediaTypes = [
        "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
        "png": "image/png",
    ]

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
