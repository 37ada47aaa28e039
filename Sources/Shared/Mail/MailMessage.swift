public import Foundation

/// A mail as it leaves: one recipient, the same text as HTML and as plain text.
///
/// Its headers are types that cannot hold a line break (`HeaderText`, `EmailAddress`, `ID`).
public struct MailMessage: Hashable, Sendable {
    /// A mail's identity, the left half of its `Message-ID`.
    public typealias ID = Identifier<MailMessage>

    /// The same at every attempt to send it: mail programs show two mails with one `Message-ID` once, and a retry
    /// after a lost answer sends twice.
    public let id: ID
    /// When it was written.
    public let date: Date
    /// Who sends it; also the envelope's sender.
    public let from: MailAddress
    /// The one who gets it; also the envelope's recipient.
    public let to: MailAddress
    /// One line.
    public let subject: HeaderText
    /// A whole HTML document.
    public let html: String
    /// The same in words only; line breaks are `\n`.
    public let text: String
    /// Language of all three.
    public let locale: MailLocale
    /// Where the mail's button leads. The `file` driver prints it; it is as secret as the mail.
    public let link: String?

    /// A mail from its parts.
    public init(
        id: ID = .random(), date: Date, from: MailAddress, to: MailAddress, subject: HeaderText, html: String,
        text: String, locale: MailLocale, link: String? = nil
    ) {
        self.id = id
        self.date = date
        self.from = from
        self.to = to
        self.subject = subject
        self.html = html
        self.text = text
        self.locale = locale
        self.link = link
    }

    /// `id` with the sender's domain (RFC 5322 §3.6.4), without the angle brackets.
    public var messageID: String {
        "\(id)@\(from.email.text.split(separator: "@").last ?? "localhost")"
    }
}
