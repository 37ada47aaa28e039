import Mustache

/// Markup that our code has drawn and escaped; a page includes it with `{{#page.NAME}}{{/page.NAME}}`, a section
/// without content.
///
/// This is the only way around a template's escaping. Use it for our own charts, never for text.
struct Drawing: Sendable, MustacheCustomRepresentation {
    private let svg: String

    /// - Parameter svg: one of our charts.
    init(svg: String) {
        self.svg = svg
    }

    /// A section that renders the drawing unescaped: swift-mustache accepts only text as a template.
    var representation: Any? {
        MustacheLambda { _ in Markup(description: svg) }
    }

    private struct Markup: CustomStringConvertible {
        let description: String
    }
}
