import Domain
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Services

/// Style sheets, scripts and pictures of our pages, read once at start.
///
/// Pages refer to them as `/assets/v/VERSION/…`, which browsers cache permanently: changed files have another version.
/// A script that imports another one by `./` gets the same version.
struct Assets: Sendable {
    /// Changes whenever a file changes.
    let version: String
    /// In alphabetical order.
    let names: [String]
    /// SHA-256 of the release's list of the web app's files (`scripts/site-hashes.sh`), as hexadecimal digits.
    let releaseHash: String
    private let responses: [String: CachedResponse]

    /// - Throws: a file system error if the installation is incomplete.
    init(resources: Resources) throws {
        var responses: [String: CachedResponse] = [:]
        var everything: [UInt8] = []
        var list = ""
        for name in try resources.names(in: "public") {
            guard let type = Self.mediaTypes[name.split(separator: ".").last.map(String.init) ?? ""] else { continue }
            let bytes = try resources.data("public/\(name)")
            responses[name] = CachedResponse(bytes: ByteBuffer(bytes: bytes), mediaType: type, isPublic: true)
            let hash = SecureBytes.sha256(bytes)
            everything += Array(name.utf8) + hash
            list += "\(hash.hexadecimal)  \(name)\n"
        }
        // In the list as it is in the release: the server puts one line in front of it.
        let worker = "service-worker.js"
        list += "\(SecureBytes.sha256(try resources.data("templates/\(worker)")).hexadecimal)  \(worker)\n"
        releaseHash = SecureBytes.sha256(Data(list.utf8)).hexadecimal
        self.responses = responses
        names = responses.keys.sorted()
        version = SecureBytes.sha256(everything).prefix(8).hexadecimal
    }

    /// `GET /assets/{name}`: browsers revalidate it each time.
    func show(_ request: Request, context: AppRequestContext) throws -> Response {
        try response(named: context.parameters.get("name"), to: request)
    }

    /// `GET /assets/v/{version}/{file}`. If the version differs, as while one of several processes is upgraded, it
    /// returns this process's file without caching.
    ///
    /// The parameter is not `name`: the router tries `/assets/{name}` first and keeps the `v` it found there.
    func showVersioned(_ request: Request, context: AppRequestContext) throws -> Response {
        var response = try response(named: context.parameters.get("file"), to: request)
        if context.parameters.get("version") == version {
            response.headers[.cacheControl] = "public, max-age=31536000, immutable"
        }
        return response
    }

    /// `GET /favicon.ico`: what browsers request for a tab that no page names an icon for, such as a chart or JSON. They
    /// look at the type, not at the name.
    func favicon(_ request: Request, context: AppRequestContext) throws -> Response {
        var response = try response(named: "icon-192.png", to: request)
        // Seconds. A day: a new icon may be late, and no browser asks for each tab.
        response.headers[.cacheControl] = "public, max-age=86400"
        return response
    }

    private func response(named name: String?, to request: Request) throws -> Response {
        guard let response = name.flatMap({ responses[$0] }) else {
            throw AppError(.notFound, "There’s no such file.")
        }
        return response.response(to: request)
    }

    private static let mediaTypes = [
        "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
        "png": "image/png",
    ]
}
