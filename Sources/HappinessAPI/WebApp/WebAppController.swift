import Domain
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Services

/// Makes the pages an installable app: manifest, service worker and offline page. All three are the same for everyone.
/// They are rendered per request, since their texts may change.
struct WebAppController: Sendable {
    private let pages: PageRenderer
    private let script: String

    /// - Throws: a file system error if the installation is incomplete.
    init(resources: Resources, pages: PageRenderer) throws {
        self.pages = pages
        script = String(decoding: try resources.data("templates/service-worker.js"), as: UTF8.self)
    }

    /// `GET /manifest.webmanifest`
    func manifest(_ request: Request, context: AppRequestContext) throws -> Response {
        let language = PageLanguage(request)
        let words = pages.words(PageFrame(language: language))
        let manifest = WebAppManifest(language, words: words, assets: pages.assets)
        return CachedResponse(bytes: try JSONBody.bytes(of: manifest), mediaType: "application/manifest+json")
            .response(to: request)
    }

    /// `GET /service-worker.js`: at the root, since its scope is the folder it is in. Every browser requests it at
    /// least once a day. Its first line differs if a file or an offline page has changed.
    func serviceWorker(_ request: Request, context: AppRequestContext) throws -> Response {
        let shell = try Shell(pages: pages)
        let head = "const SHELL = \(String(buffer: try JSONBody.bytes(of: shell)));\n"
        let worker = CachedResponse(
            bytes: ByteBuffer(string: head + script), mediaType: "text/javascript; charset=utf-8")
        var response = worker.response(to: request)
        // The script's policy also applies to what it fetches (Service Workers, "Fetch").
        response.headers[.contentSecurityPolicy] = "default-src 'none'; connect-src 'self'"
        return response
    }

    /// `GET /offline`: cached by the service worker and shown if a page cannot be loaded.
    func offline(_ request: Request, context: AppRequestContext) throws -> Response {
        try pages.response(OfflinePage(), in: PageFrame(language: PageLanguage(request)))
    }

    /// The files that the service worker caches: no personal data.
    private struct Shell: Encodable {
        let version: String
        /// `PublicPath.text`
        let root: String
        let assets: [String]
        /// Where the offline page is, for each language.
        let offline: [String: String]
        /// The app's icon and the small monochrome one, for notifications.
        let icon: String
        let badge: String

        init(pages: PageRenderer) throws {
            let assets = pages.assets
            // Follow the device's theme, and have no link to the other language, which would need a connection.
            let offlinePages = try PageLanguage.allCases.map { language in
                try pages.html(OfflinePage(), in: PageFrame(language: language))
            }
            version = SecureBytes.sha256(Data((assets.version + offlinePages.joined()).utf8)).prefix(8).hexadecimal
            root = pages.publicPath.text
            let address = { (name: String) in SitePath.asset(name, version: assets.version).description }
            self.assets = assets.names.filter { !$0.hasSuffix(".png") }.map(address)
            icon = address("icon-192.png")
            badge = address("icon-badge.png")
            offline = Dictionary(
                uniqueKeysWithValues: PageLanguage.allCases.map {
                    ($0.rawValue, SitePath.offline.adding("language", $0.rawValue).description)
                })
        }
    }
}

/// Shown if there is no connection or the server does not respond.
struct OfflinePage: Page {
    static let template = "offline"

    /// Where to retry; empty means the address of the page that failed to load.
    var address = ""
    /// A sleeping face.
    let face = Face(nil)
}
