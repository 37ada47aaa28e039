package import Foundation

/// A mail ready to be sent: one recipient, the same text as HTML and as plain text.
///
/// Its headers are types that cannot contain a line break (`HeaderText`, `EmailAddress`, `ID`).
package struct MailMessage: Hashable, Sendable {
    /// Identifies a mail; the left half of its `Message-ID`.
    package typealias ID = Identifier<MailMessage>

    /// The same for every attempt: mail programs show two mails with one `Message-ID` once, and a retry after a lost
    /// response sends twice.
    package let id: ID
    /// When it was written.
    package let date: Date
    /// The sender; also the envelope's sender.
    package let from: MailAddress
    /// The recipient; also the envelope's recipient.
    package let to: MailAddress
    /// One line.
    package let subject: HeaderText
    /// A whole HTML document.
    package let html: String
    /// The same content as plain text; line breaks are `\n`.
    package let text: String
    /// Language of all three.
    package let locale: MailLocale
    /// The target of the mail's button. The `file` driver prints it; it is as secret as the mail.
    package let link: String?

    /// By default with a new random id.
    package init(
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
    package var messageID: String {
        "\(id)@\(from.email.text.split(separator: "@").last ?? "localhost")"
    }
}
