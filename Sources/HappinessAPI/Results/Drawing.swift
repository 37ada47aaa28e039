import Mustache

/// Markup that code of ours has drawn and escaped, for a place in a page: `{{#page.NAME}}{{/page.NAME}}`, a section
/// without content.
///
/// The only way past a template's escaping. It takes what charts of ours draw, never a text.
struct Drawing: Sendable, MustacheCustomRepresentation {
    private let svg: String

    /// - Parameter svg: of a chart of ours.
    init(svg: String) {
        self.svg = svg
    }

    /// A section whose result is the drawing as it is: swift-mustache takes text for a template, and nothing else for
    /// one.
    var representation: Any? {
        MustacheLambda { _ in Markup(description: svg) }
    }

    private struct Markup: CustomStringConvertible {
        let description: String
    }
}
