package import Foundation
import Mustache
package import Services

/// Template errors, reported to the operator at start.
package enum MailTemplateError: Error, Equatable, CustomStringConvertible {
    /// A file is missing or not readable.
    case missing(file: String)
    /// A file is not a valid template.
    case malformed(file: String)
    /// The text template does not begin with `Subject: …` and an empty line.
    case noSubject(template: String)

    /// One line for the operator.
    package var description: String {
        switch self {
        case .missing(let file): "The mail template \(file) is missing or cannot be read."
        case .malformed(let file): "The mail template \(file) is malformed."
        case .noSubject(let template): "The mail template \(template) does not begin with its subject."
        }
    }
}

/// The texts of all mails in all languages, read once at start.
package struct MailTemplates: Sendable {
    private static let htmlLayout = "layout"
    private static let textLayout = "layout.text"

    private let library: MustacheLibrary
    private let site: String

    /// Reads all templates.
    /// - Parameters:
    ///   - directory: `templates/mail`.
    ///   - publicURL: the service's address for users; the footer of each mail contains it, so that a forged mail is
    ///     easier to spot.
    /// - Throws: `MailTemplateError` for the first one that is missing or invalid.
    package init(directory: URL, publicURL: String) throws {
        _ = MailHTML.isRegistered
        var library = MustacheLibrary()
        let bodies = MailLocale.allCases.flatMap { locale in
            MailKind.allCases.flatMap { [Self.htmlName($0, locale), Self.textName($0, locale)] }
        }
        for name in [Self.htmlLayout, Self.textLayout] + bodies {
            let file = "\(name).mustache"
            let text: String
            do {
                text = try String(contentsOf: directory.appendingPathComponent(file), encoding: .utf8)
            } catch {
                throw MailTemplateError.missing(file: file)
            }
            do {
                try library.register(text, named: name)
            } catch {
                throw MailTemplateError.malformed(file: file)
            }
        }
        self.library = library
        site = publicURL
    }

    /// Renders a mail.
    /// - Parameters:
    ///   - id: the same at each attempt of one job.
    ///   - locale: from `MailLocale(tag:)`.
    ///   - unsubscribeLink: `nil` for a mail that cannot be switched off.
    ///   - addressCode: `nil` for a mail that must mark nobody.
    /// - Throws: `MailTemplateError` if the templates are inconsistent.
    package func message(
        _ content: some MailContent, id: MailMessage.ID, date: Date, from: MailAddress, to: MailAddress,
        locale: MailLocale, unsubscribeLink: UnsubscribeLink? = nil, addressCode: String? = nil
    ) throws -> MailMessage {
        let (subject, text) = try text(content, locale: locale, unsubscribeLink)
        let html = try render(
            MailPage(content, locale: locale, subject: subject.text, site: site, unsubscribeLink),
            Self.htmlName(type(of: content).kind, locale))
        return MailMessage(
            id: id, date: date, from: from, to: to, subject: subject, html: html, text: text, locale: locale,
            link: content.link, unsubscribeLink: unsubscribeLink, addressCode: addressCode)
    }

    /// The first line of the text template is the subject. Its variable parts were made fit for it (`inSubject`), and
    /// `HeaderText` refuses whatever could still end the header.
    private func text(
        _ content: some MailContent, locale: MailLocale, _ unsubscribeLink: UnsubscribeLink?
    ) throws -> (HeaderText, String) {
        let name = Self.textName(type(of: content).kind, locale)
        let rendered = try render(MailPage(content, locale: locale, subject: "", site: site, unsubscribeLink), name)
        guard let match = rendered.prefixMatch(of: /Subject: ([^\r\n]+)\n\n/),
            let subject = try? HeaderText(String(match.1))
        else {
            throw MailTemplateError.noSubject(template: name)
        }
        // Omitted parts of a mail leave empty lines.
        let body = String(rendered[match.range.upperBound...])
        return (subject, body.replacing(/\n{3,}/, with: "\n\n"))
    }

    private func render<Content>(_ page: MailPage<Content>, _ name: String) throws -> String {
        guard let text = library.render(page, withTemplate: name) else {
            throw MailTemplateError.missing(file: "\(name).mustache")
        }
        return text
    }

    private static func htmlName(_ kind: MailKind, _ locale: MailLocale) -> String {
        "\(locale.rawValue)/\(kind.rawValue)"
    }

    private static func textName(_ kind: MailKind, _ locale: MailLocale) -> String {
        "\(locale.rawValue)/\(kind.rawValue).text"
    }
}

/// Everything a template can read.
private struct MailPage<Content: MailContent> {
    let locale: String
    let subject: String
    let site: String
    let link: String?
    let validity: String?
    /// The link that ends mails of this kind.
    let unsubscribe: String?
    let mail: Content

    init(_ mail: Content, locale: MailLocale, subject: String, site: String, _ unsubscribeLink: UnsubscribeLink?) {
        self.locale = locale.rawValue
        self.subject = subject
        self.site = site
        self.mail = mail
        link = mail.link
        unsubscribe = unsubscribeLink?.url
        validity = mail.linkLifetime.map(locale.words(for:))
    }
}
