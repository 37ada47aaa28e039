import Domain
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Services

/// Renders pages from templates, read once at start, and the current texts.
struct PageRenderer: Sendable {
    /// The files that pages refer to.
    let assets: Assets

    /// For the scripts, which build addresses of their own.
    let publicPath: PublicPath

    /// Whether mails are kept in a folder, so that pages must not promise any (`MailSettings.keepsMails`).
    let keepsMails: Bool

    /// The current texts of all languages.
    let texts: TextCatalog

    private let templates: PageTemplates

    /// - Throws: a file system or template error if the installation is incomplete.
    init(resources: Resources, texts: TextCatalog, publicPath: PublicPath = .none, keepsMails: Bool = false) throws {
        self.publicPath = publicPath
        self.keepsMails = keepsMails
        templates = try PageTemplates(resources: resources, publicPath: publicPath)
        assets = try Assets(resources: resources)
        self.texts = texts
    }

    /// The texts of the frame's language.
    func words(_ frame: PageFrame) -> LocalizedTexts {
        let words = texts.words(in: frame.language.mailLocale)
        return keepsMails ? words.keepingMails : words
    }

    /// Whether there is a template of this name.
    func hasTemplate(_ name: String) -> Bool { templates.contains(name) }

    /// The complete HTML document.
    /// - Parameter template: `nil` for the page's own.
    /// - Throws: `PageTemplateError` if the template does not exist; a template error.
    func html<Content: Page>(_ page: Content, in frame: PageFrame, template: String? = nil) throws -> String {
        let own = frame.viewer == nil ? Content.template : Content.viewedTemplate
        let words = words(frame)
        let view = PageView(
            language: frame.language.rawValue, direction: words.direction,
            otherLanguages: frame.otherLanguages.map { other in
                LanguageChoice(
                    address: other.address, code: other.language.rawValue,
                    name: words.name(of: other.language.mailLocale))
            },
            hasOtherLanguages: !frame.otherLanguages.isEmpty, words: words.sections, viewer: frame.viewer,
            theme: frame.theme?.rawValue, ground: frame.theme?.ground, version: assets.version,
            root: publicPath.text.isEmpty ? nil : publicPath.text, keepsMails: keepsMails, page: page)
        return try templates.render(view, with: template ?? own)
    }

    /// The page as a response that must not be cached, with the strict content security policy of our pages. It sends
    /// no referrer (`SecurityHeadersMiddleware`), since its address may contain a token. A page with `formTellsOrigin`
    /// sends its origin only: without any referrer, browsers hide the origin as well (Fetch, "append a request `Origin`
    /// header"), and `same-origin` would send the address to our proxies, which may log it.
    /// - Parameter template: `nil` for the page's own.
    func response<Content: Page>(
        _ page: Content, in frame: PageFrame, status: HTTPResponse.Status = .ok, template: String? = nil
    ) throws -> Response {
        var response = Response(
            status: status,
            headers: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
                .contentLanguage: frame.language.rawValue,
                .contentSecurityPolicy: SecurityHeadersMiddleware.page,
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: try html(page, in: frame, template: template))))
        if Content.formTellsOrigin { response.headers[.referrerPolicy] = "strict-origin" }
        return response
    }

    /// A page that says why a request was rejected, with the error's status and when to retry.
    func response(_ page: some Page, in frame: PageFrame, refusing error: AppError) throws -> Response {
        var response = try response(page, in: frame, status: ErrorStyle.problem.status(of: error))
        response.headers[.retryAfter] = error.retryAfter.map(String.init)
        return response
    }

    /// Runs a page's handler; errors become a page as well, since people read the response.
    func renderingErrors(_ frame: PageFrame, _ handle: () async throws -> Response) async throws -> Response {
        do {
            return try await handle()
        } catch {
            guard let error = AppError(error) else { throw error }
            var response = try response(to: error, in: frame, status: ErrorStyle.problem.status(of: error))
            response.headers[.retryAfter] = error.retryAfter.map(String.init)
            return response
        }
    }

    /// An error as a page, with a link to continue.
    /// - Throws: as `html`.
    func response(to error: AppError, in frame: PageFrame, status: HTTPResponse.Status) throws -> Response {
        let words = words(frame)
        let page = MessagePage(
            title: words.text("errors.title"), text: words.text(for: error),
            next: .init(address: .start, label: words.text("errors.toStart")))
        return try response(page, in: frame, status: status)
    }
}

/// A link to the same page in another language.
private struct LanguageChoice {
    let address: SitePath
    let code: String
    /// In the language itself.
    let name: String
}

/// Everything a template can read.
private struct PageView<Content: Page> {
    let language: String
    /// `rtl`, or `nil` from left to right.
    let direction: String?
    let otherLanguages: [LanguageChoice]
    let hasOtherLanguages: Bool
    let words: [String: [String: String]]
    let viewer: Viewer?
    let theme: String?
    let ground: String?
    /// Version of the assets.
    let version: String
    /// For scripts, which build addresses of their own.
    let root: String?
    let keepsMails: Bool
    let page: Content
}
