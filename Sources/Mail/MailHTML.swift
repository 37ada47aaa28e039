import Mustache
import Shared

/// HTML as the mails' layout asks for it: `{{% CONTENT_TYPE:MAILHTML}}`.
struct MailHTML: MustacheContentType {
    /// Makes the name known to swift-mustache, which keeps it for the whole process.
    static let isRegistered: Bool = {
        MustacheContentTypes.register(MailHTML(), named: "MAILHTML")
        return true
    }()

    func escapeText(_ text: String) -> String {
        text.escapedForHTML
    }
}
