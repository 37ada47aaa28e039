import Mustache
import Shared
import Synchronization

/// Templates that cannot be used, told to the operator.
enum PageTemplateError: Error, CustomStringConvertible {
    /// There is no such template.
    case missing(template: String)

    var description: String {
        switch self {
        case .missing(let template): "The page template \(template) is missing."
        }
    }
}

/// The templates of pages, read at start. Each is parsed when it is first asked for: all of them at once would take longer
/// than the rest of the start.
final class PageTemplates: Sendable {
    /// `layout` is around pages for everybody, `app` around those behind the log-in.
    private static let layouts = ["layout", "app"]
    private static let suffix = ".mustache"

    /// Layouts and partials, which templates name.
    private let parts: MustacheLibrary
    /// Templates by name, as they were read.
    private let texts: [String: String]
    private let parsed = Mutex<[String: MustacheTemplate]>([:])

    /// - Throws: an error of the file system, or of the parser for a layout or partial: then the installation is not whole.
    init(resources: Resources) throws {
        _ = PageHTML.isRegistered
        var parts = MustacheLibrary()
        for layout in Self.layouts {
            try parts.register(try resources.text("templates/\(layout)\(Self.suffix)"), named: layout)
        }
        for (name, text) in try Self.texts(in: "templates/partials", of: resources) {
            try parts.register(text, named: name)
        }
        self.parts = parts
        texts = try Self.texts(in: "templates/pages", of: resources)
    }

    private static func texts(in folder: String, of resources: Resources) throws -> [String: String] {
        let files = try resources.names(in: folder).filter { $0.hasSuffix(suffix) }
        return Dictionary(
            uniqueKeysWithValues: try files.map {
                (String($0.dropLast(suffix.count)), try resources.text("\(folder)/\($0)"))
            })
    }

    /// Every template there is.
    var names: some Collection<String> { texts.keys }

    /// What the template makes of the view.
    /// - Throws: `PageTemplateError`; an error of the parser.
    func render(_ view: Any, with name: String) throws -> String {
        try template(name).render(view, library: parts)
    }

    /// - Throws: as `render` does.
    func template(_ name: String) throws -> MustacheTemplate {
        if let known = parsed.withLock({ $0[name] }) { return known }
        guard let text = texts[name] else { throw PageTemplateError.missing(template: name) }
        let template = try MustacheTemplate(string: text)
        parsed.withLock { $0[name] = template }
        return template
    }
}

/// HTML as the layouts ask for it: `{{% CONTENT_TYPE:PAGEHTML}}`.
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
