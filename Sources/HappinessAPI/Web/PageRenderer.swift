import Foundation
import HTTPTypes
import Hummingbird
import Mustache
import NIOCore
import Shared

/// Templates that cannot be used, told to the operator at start.
enum PageTemplateError: Error, CustomStringConvertible {
    /// There is no such template, or it cannot be rendered.
    case missing(template: String)

    var description: String {
        switch self {
        case .missing(let template): "The page template \(template) is missing."
        }
    }
}

/// Makes pages from templates and texts, all of them read once at start.
struct PageRenderer: Sendable {
    /// The files the pages name.
    let assets: Assets

    private let library: MustacheLibrary
    private let english: PageWords
    private let german: PageWords

    private static let suffix = ".mustache"
    /// `layout` is around pages for everybody, `app` around those behind the log-in.
    private static let layouts = ["layout", "app"]

    /// - Throws: an error of the file system, the template parser or the decoder: then the installation is not whole.
    init(resources: Resources) throws {
        _ = PageHTML.isRegistered
        var library = MustacheLibrary()
        for layout in Self.layouts {
            try library.register(
                String(decoding: resources.data("templates/\(layout)\(Self.suffix)"), as: UTF8.self), named: layout)
        }
        for file in try resources.names(in: "templates/pages") where file.hasSuffix(Self.suffix) {
            let text = String(decoding: try resources.data("templates/pages/\(file)"), as: UTF8.self)
            try library.register(text, named: "pages/\(file.dropLast(Self.suffix.count))")
        }
        for file in try resources.names(in: "templates/partials") where file.hasSuffix(Self.suffix) {
            let text = String(decoding: try resources.data("templates/partials/\(file)"), as: UTF8.self)
            try library.register(text, named: String(file.dropLast(Self.suffix.count)))
        }
        self.library = library
        assets = try Assets(resources: resources)
        english = try PageWords(.english, resources: resources)
        german = try PageWords(.german, resources: resources)
    }

    /// The texts of the frame's language.
    func words(_ frame: PageFrame) -> PageWords {
        switch frame.language {
        case .english: english
        case .german: german
        }
    }

    /// The whole HTML document.
    /// - Throws: `PageTemplateError` if there is no such template.
    func html<Content: Page>(_ page: Content, in frame: PageFrame) throws -> String {
        let view = PageView(
            language: frame.language.rawValue, otherLanguage: frame.otherLanguage,
            otherLanguageCode: frame.language.other.rawValue, words: words(frame).sections, viewer: frame.viewer,
            theme: frame.theme?.rawValue, ground: frame.theme?.ground, version: assets.version, page: page)
        guard let html = library.render(view, withTemplate: "pages/\(Content.template)") else {
            throw PageTemplateError.missing(template: Content.template)
        }
        return html
    }

    /// The page as an answer that no cache keeps, under the strict policy of our pages. No address leaves it as a
    /// referrer either (`SecurityHeadersMiddleware`): it may hold a token.
    func response(_ page: some Page, in frame: PageFrame, status: HTTPResponse.Status = .ok) throws -> Response {
        Response(
            status: status,
            headers: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
                .contentLanguage: frame.language.rawValue,
                .contentSecurityPolicy: SecurityHeadersMiddleware.page,
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: try html(page, in: frame))))
    }

    /// Runs a page's handler; a refusal becomes a page that says so, since people read this and no program.
    func answering(_ frame: PageFrame, _ handle: () async throws -> Response) async throws -> Response {
        do {
            return try await handle()
        } catch let error as AppError {
            let words = words(frame)
            var response = try response(
                MessagePage(title: words.text("errors.title"), text: words.text(for: error)), in: frame,
                status: ErrorStyle.problem.status(of: error))
            response.headers[.retryAfter] = error.retryAfter.map(String.init)
            return response
        }
    }
}

/// All that a template sees.
private struct PageView<Content: Page> {
    let language: String
    let otherLanguage: String?
    let otherLanguageCode: String
    let words: [String: [String: String]]
    let viewer: Viewer?
    let theme: String?
    let ground: String?
    /// Of the assets.
    let version: String
    let page: Content
}

/// HTML as the layout asks for it: `{{% CONTENT_TYPE:PAGEHTML}}`.
private struct PageHTML: MustacheContentType {
    /// Makes the name known to swift-mustache, which keeps it for the whole process.
    static let isRegistered: Bool = {
        MustacheContentTypes.register(PageHTML(), named: "PAGEHTML")
        return true
    }()

    func escapeText(_ text: String) -> String {
        text.escapedForHTML
    }
}
