import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Shared

/// Makes pages from templates, read once at start, and the texts as they are now.
struct PageRenderer: Sendable {
    /// The files the pages name.
    let assets: Assets

    private let templates: PageTemplates
    private let texts: TextCatalog

    /// - Throws: an error of the file system or the template parser: then the installation is not whole.
    init(resources: Resources, texts: TextCatalog) throws {
        templates = try PageTemplates(resources: resources)
        assets = try Assets(resources: resources)
        self.texts = texts
    }

    /// The texts of the frame's language.
    func words(_ frame: PageFrame) -> PageWords {
        PageWords(sections: texts.sections(in: frame.language.mailLocale))
    }

    /// The whole HTML document.
    /// - Throws: `PageTemplateError` if there is no such template; an error of its parser.
    func html<Content: Page>(_ page: Content, in frame: PageFrame) throws -> String {
        let view = PageView(
            language: frame.language.rawValue, otherLanguage: frame.otherLanguage,
            otherLanguageCode: frame.language.other.rawValue, words: words(frame).sections, viewer: frame.viewer,
            theme: frame.theme?.rawValue, ground: frame.theme?.ground, version: assets.version, page: page)
        return try templates.render(view, with: Content.template)
    }

    /// The page as an answer that no cache keeps, under the strict policy of our pages. No address leaves it as a
    /// referrer either (`SecurityHeadersMiddleware`): it may hold a token. Of a page whose form tells its origin that much
    /// is sent, for browsers that send no referrer hide the origin, too (Fetch, "append a request `Origin` header");
    /// `same-origin` would send the address, to proxies of ours that may log it.
    func response<Content: Page>(
        _ page: Content, in frame: PageFrame, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        var response = Response(
            status: status,
            headers: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
                .contentLanguage: frame.language.rawValue,
                .contentSecurityPolicy: SecurityHeadersMiddleware.page,
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: try html(page, in: frame))))
        if Content.formTellsOrigin { response.headers[.referrerPolicy] = "strict-origin" }
        return response
    }

    /// Runs a page's handler; a refusal becomes a page that says so, since people read this and no program.
    func answering(_ frame: PageFrame, _ handle: () async throws -> Response) async throws -> Response {
        do {
            return try await handle()
        } catch let error as AppError {
            var response = try response(to: error, in: frame, status: ErrorStyle.problem.status(of: error))
            response.headers[.retryAfter] = error.retryAfter.map(String.init)
            return response
        }
    }

    /// A refusal as a page, with a way on.
    /// - Throws: as `html`.
    func response(to error: AppError, in frame: PageFrame, status: HTTPResponse.Status) throws -> Response {
        let words = words(frame)
        let page = MessagePage(
            title: words.text("errors.title"), text: words.text(for: error),
            next: .init(address: "/", label: words.text("errors.toStart")))
        return try response(page, in: frame, status: status)
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
