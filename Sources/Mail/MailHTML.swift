import Domain
import Mustache

/// HTML as the mails' layout requests it: `{{% CONTENT_TYPE:MAILHTML}}`.
struct MailHTML: MustacheContentType {
    /// Registers the content type with swift-mustache, once per process.
    static let isRegistered: Bool = {
        MustacheContentTypes.register(MailHTML(), named: "MAILHTML")
        return true
    }()

    func escapeText(_ text: String) -> String { text.escapedForHTML }
}
