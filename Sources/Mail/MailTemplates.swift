package import Domain
package import Foundation
import Mustache
package import Ports

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

    /// The files that a language other than English lacks, `fr/invitation`: these mails are sent in English. Sorted;
    /// empty for a complete installation.
    package let missing: [String]

    /// A sentence about them; empty for a complete installation.
    package var notices: [String] {
        missing.isEmpty
            ? [] : ["templates/mail lacks \(missing.joined(separator: ", ")). These mails are sent in English."]
    }

    private let library: MustacheLibrary
    private let site: String
    private let texts: any TextSource

    /// Reads all templates.
    /// - Parameters:
    ///   - directory: `templates/mail`.
    ///   - publicURL: the service's address for users; the footer of each mail contains it, so that a forged mail is
    ///     easier to spot.
    ///   - texts: for durations, and for the direction in which a language is written.
    ///   - languages: those whose files are read; without a mail of its own, a language gets the English one.
    /// - Throws: `MailTemplateError` for the first one that is missing in English, or invalid.
    package init(
        directory: URL, publicURL: String, texts: any TextSource, languages: [MailLocale] = MailLocale.allCases
    ) throws {
        _ = MailHTML.isRegistered
        var library = MustacheLibrary()
        let bodies = MailKind.allCases.flatMap { [Self.htmlName($0, .english), Self.textName($0, .english)] }
        let mails = languages.filter { $0 != .english }.flatMap { locale in
            MailKind.allCases.map { (html: Self.htmlName($0, locale), text: Self.textName($0, locale)) }
        }
        // The two parts of a mail must be in one language.
        let present = mails.filter { mail in
            [mail.html, mail.text].allSatisfy {
                FileManager.default.fileExists(atPath: directory.appendingPathComponent("\($0).mustache").path)
            }
        }
        missing = mails.map { $0.html }.filter { name in !present.contains { $0.html == name } }.sorted()
        var names = [Self.htmlLayout, Self.textLayout] + bodies
        for mail in present { names += [mail.html, mail.text] }
        for name in names {
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
        self.texts = texts
        site = publicURL
    }

    /// The language itself, or English if it has no such mail.
    private func available(_ kind: MailKind, _ locale: MailLocale) -> MailLocale {
        let name = Self.htmlName(kind, locale)
        return library.getTemplate(named: name) == nil ? .english : locale
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
        let locale = available(type(of: content).kind, locale)
        let (subject, text) = try text(content, locale: locale, unsubscribeLink)
        let html = try render(
            MailPage(
                content, words: texts.texts[locale], locale: locale, subject: subject.text, site: site,
                unsubscribeLink),
            Self.htmlName(type(of: content).kind, locale))
        return MailMessage(
            id: id, date: date, from: from, to: to, subject: subject, html: html, text: text, locale: locale,
            link: content.link, unsubscribeLink: unsubscribeLink, addressCode: addressCode)
    }

    /// The first line of the text template is the subject. Its variable parts were made fit for it (`inSubject`), and
    /// `HeaderText` rejects whatever could still end the header.
    private func text(
        _ content: some MailContent, locale: MailLocale, _ unsubscribeLink: UnsubscribeLink?
    ) throws -> (HeaderText, String) {
        let name = Self.textName(type(of: content).kind, locale)
        let page = MailPage(
            content, words: texts.texts[locale], locale: locale, subject: "", site: site, unsubscribeLink)
        let rendered = try render(page, name)
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
    /// `rtl`, or `nil` from left to right.
    let direction: String?
    let subject: String
    let site: String
    let link: String?
    let validity: String?
    /// The link that ends mails of this kind.
    let unsubscribe: String?
    let mail: Content

    init(
        _ mail: Content, words: LocalizedTexts, locale: MailLocale, subject: String, site: String,
        _ unsubscribeLink: UnsubscribeLink?
    ) {
        self.locale = locale.rawValue
        direction = words.direction
        self.subject = subject
        self.site = site
        self.mail = mail
        link = mail.link
        unsubscribe = unsubscribeLink?.url
        validity = mail.linkLifetime.map(words.text(for:))
    }
}
