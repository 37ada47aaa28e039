import Domain
import Mustache
import Services
import Synchronization

/// Template errors, with a message for the operator.
enum PageTemplateError: Error, CustomStringConvertible {
    /// The template does not exist.
    case missing(template: String)

    var description: String {
        switch self {
        case .missing(let template): "The page template \(template) is missing."
        }
    }
}

/// The templates of pages, read at start. Each is parsed on first use: parsing all of them would take longer than the
/// rest of the start.
final class PageTemplates: Sendable {
    /// `layout` is for public pages, `app` for those behind the login.
    private static let layouts = ["layout", "app"]
    private static let suffix = ".mustache"

    /// Layouts and partials, which other templates include.
    private let parts: MustacheLibrary
    /// Unparsed templates by name.
    private let texts: [String: String]
    private let publicPath: PublicPath
    private let parsed = Mutex<[String: MustacheTemplate]>([:])

    /// - Parameter publicPath: put before the addresses that are written out in templates.
    /// - Throws: a file system error, or a template error in a layout or partial, if the installation is incomplete.
    init(resources: Resources, publicPath: PublicPath) throws {
        _ = PageHTML.isRegistered
        self.publicPath = publicPath
        var parts = MustacheLibrary()
        for layout in Self.layouts {
            let text = try resources.text("templates/\(layout)\(Self.suffix)")
            try parts.register(publicPath.added(toTemplate: text), named: layout)
        }
        for (name, text) in try Self.texts(in: "templates/partials", of: resources) {
            try parts.register(publicPath.added(toTemplate: text), named: name)
        }
        self.parts = parts
        let topics = try Self.texts(in: "templates/reference", of: resources).map { ("reference/\($0)", $1) }
        texts = try Self.texts(in: "templates/pages", of: resources).merging(topics) { page, _ in page }
    }

    private static func texts(in folder: String, of resources: Resources) throws -> [String: String] {
        let files = try resources.names(in: folder).filter { $0.hasSuffix(suffix) }
        return Dictionary(
            uniqueKeysWithValues: try files.map {
                (String($0.dropLast(suffix.count)), try resources.text("\(folder)/\($0)"))
            })
    }

    /// Whether there is a template of this name: of a page, or `reference/…` of a topic of the API reference.
    func contains(_ name: String) -> Bool { texts[name] != nil }

    /// Renders the view with a template.
    /// - Throws: `PageTemplateError`; a template error.
    func render(_ view: Any, with name: String) throws -> String {
        try template(name).render(view, library: parts)
    }

    /// - Throws: as `render`.
    func template(_ name: String) throws -> MustacheTemplate {
        if let known = parsed.withLock({ $0[name] }) { return known }
        guard let text = texts[name] else { throw PageTemplateError.missing(template: name) }
        let template = try MustacheTemplate(string: publicPath.added(toTemplate: text))
        parsed.withLock { $0[name] = template }
        return template
    }
}

/// HTML as the layouts request it: `{{% CONTENT_TYPE:PAGEHTML}}`.
private struct PageHTML: MustacheContentType {
    /// Registers the content type with swift-mustache, once per process.
    static let isRegistered: Bool = {
        MustacheContentTypes.register(PageHTML(), named: "PAGEHTML")
        return true
    }()

    func escapeText(_ text: String) -> String { text.escapedForHTML }
}
