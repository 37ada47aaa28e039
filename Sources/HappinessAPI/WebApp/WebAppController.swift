import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Shared

/// What makes the pages an app that is installed: manifest, service worker, and the page for when there is no connection.
/// All three are the same for everybody, and made when they are asked for: their texts may be changed meanwhile.
struct WebAppController: Sendable {
    private let pages: PageRenderer
    private let script: String

    /// - Throws: an error of the file system: then the installation is not whole.
    init(resources: Resources, pages: PageRenderer) throws {
        self.pages = pages
        script = String(decoding: try resources.data("templates/service-worker.js"), as: UTF8.self)
    }

    /// `GET /manifest.webmanifest`
    func manifest(_ request: Request, context: AppRequestContext) throws -> Response {
        let language = PageLanguage(request)
        let words = pages.words(PageFrame(language: language))
        let manifest = WebAppManifest(language, words: words, assets: pages.assets)
        return CachedAnswer(bytes: try JSONBody.bytes(of: manifest), mediaType: "application/manifest+json")
            .response(to: request)
    }

    /// `GET /service-worker.js`: at the root, for a worker sees what lies below its own address. It is asked for anew by
    /// every browser once a day at least, and begins with what has changed: files, or the page without a connection.
    func serviceWorker(_ request: Request, context: AppRequestContext) throws -> Response {
        let shell = try Shell(PageLanguage(request), pages: pages)
        let head = "const SHELL = \(String(buffer: try JSONBody.bytes(of: shell)));\n"
        let worker = CachedAnswer(
            bytes: ByteBuffer(string: head + script), mediaType: "text/javascript; charset=utf-8")
        var response = worker.response(to: request)
        // The policy of the script is the one of what it fetches (Service Workers, "Fetch").
        response.headers[.contentSecurityPolicy] = "default-src 'none'; connect-src 'self'"
        return response
    }

    /// `GET /offline`: kept by the service worker, and shown in place of a page that did not come.
    func offline(_ request: Request, context: AppRequestContext) throws -> Response {
        try pages.response(OfflinePage(), in: PageFrame(language: PageLanguage(request)))
    }

    /// What the service worker keeps: nothing that is anybody's.
    private struct Shell: Encodable {
        let version: String
        let assets: [String]
        let offline: String
        let language: String
        /// Of notifications: the app's, and the small one in one colour.
        let icon: String
        let badge: String

        init(_ language: PageLanguage, pages: PageRenderer) throws {
            let assets = pages.assets
            // In no theme but the device's, and without a way to the other language, which would need a connection.
            let page = try pages.html(OfflinePage(), in: PageFrame(language: language))
            version = SecureBytes.sha256(Data((assets.version + page).utf8)).prefix(8).hexadecimal
            let folder = "/assets/v/\(assets.version)"
            self.assets = assets.names.filter { !$0.hasSuffix(".png") }.map { "\(folder)/\($0)" }
            self.language = language.rawValue
            icon = "\(folder)/icon-192.png"
            badge = "\(folder)/icon-badge.png"
            offline = "/offline?language=\(language.rawValue)"
        }
    }
}

/// There is no connection, or the server does not answer.
struct OfflinePage: Page {
    static let template = "offline"

    /// Where to try again; empty is the address of the page that did not come.
    var address = ""
    /// Asleep.
    let face = Face(nil)
}
