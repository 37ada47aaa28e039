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
    /// Ends mails of this kind; `nil` for mails about the account, which are always sent.
    package let unsubscribeLink: UnsubscribeLink?
    /// Lets the recipient's account be marked if this mail does not arrive (`AddressCodes`); `nil` for a mail that must
    /// mark nobody.
    package let addressCode: String?

    /// By default with a new random id.
    package init(
        id: ID = .random(), date: Date, from: MailAddress, to: MailAddress, subject: HeaderText, html: String,
        text: String, locale: MailLocale, link: String? = nil, unsubscribeLink: UnsubscribeLink? = nil,
        addressCode: String? = nil
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
        self.unsubscribeLink = unsubscribeLink
        self.addressCode = addressCode
    }

    /// `id` with the sender's domain (RFC 5322 §3.6.4), without the angle brackets.
    package var messageID: String {
        "\(id)@\(from.email.text.split(separator: "@").last ?? "localhost")"
    }
}

/// The address in `List-Unsubscribe` (RFC 2369 §3.2): visible ASCII without brackets, so that it can neither end the
/// header nor its own field.
package struct UnsubscribeLink: Hashable, Sendable {
    /// The address.
    package let url: String

    /// `nil` for text that does not fit between the brackets of the header.
    package init?(_ url: String) {
        let isFit = url.utf8.allSatisfy { (0x21...0x7e).contains($0) && !"<>,".utf8.contains($0) }
        guard isFit, !url.isEmpty else { return nil }
        self.url = url
    }

    /// Value of `List-Unsubscribe`.
    package var header: String { "<\(url)>" }

    /// Value of `List-Unsubscribe-Post`, which lets mail programs show a button of their own; `nil` without TLS, where
    /// it is not allowed (RFC 8058 §3.1).
    package var postHeader: String? { url.hasPrefix("https://") ? "List-Unsubscribe=One-Click" : nil }
}
