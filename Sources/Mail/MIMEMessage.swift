package import Domain
import Foundation

/// A mail as it is sent (RFC 5322, RFC 2045): ASCII, lines of at most 78 characters that end in CRLF. Only the link in
/// `List-Unsubscribe` may be longer, since a fold would break it (RFC 5322 §2.1.1 allows 998).
package struct MIMEMessage: Sendable {
    /// The bytes to send.
    package let bytes: [UInt8]

    /// Renders the message; the result depends on nothing else.
    package init(_ message: MailMessage) {
        // `=_` never occurs in quoted-printable text, so no part can contain the boundary (RFC 2045 §6.7).
        let boundary = "=_\(message.id)"
        var headers: [(name: String, value: String)] = [
            ("Date", UTCDate(message.date).headerText),
            ("From", HeaderEncoding.address(message.from)),
            ("To", HeaderEncoding.address(message.to)),
            ("Message-ID", "<\(message.messageID)>"),
            ("Subject", HeaderEncoding.text(message.subject.text)),
        ]
        headers += Self.automatic
        headers.append(("Content-Language", message.locale.rawValue))
        headers += Self.unsubscribing(message)
        headers += [
            ("MIME-Version", "1.0"),
            ("Content-Type", "multipart/alternative;\r\n boundary=\"\(boundary)\""),
        ]
        var text = headers.map { "\($0.name): \($0.value)\r\n" }.joined()
        // The preferred part comes last (RFC 2046 §5.1.4).
        for (type, content) in [("text/plain", message.text), ("text/html", message.html)] {
            text += "\r\n--\(boundary)\r\n"
            text += "Content-Type: \(type); charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
            text += QuotedPrintable.encode(content)
        }
        text += "\r\n--\(boundary)--\r\n"
        bytes = Array(text.utf8)
    }

    /// Prevent out-of-office replies: by the standard (RFC 3834 §5), and for Exchange, which ignores it
    /// (`[MS-OXCMAIL]` §2.1.3.2.20).
    static let automatic = [
        (name: "Auto-Submitted", value: "auto-generated"), (name: "X-Auto-Response-Suppress", value: "All"),
    ]

    /// The headers that let a mail program end mails of this kind (RFC 2369, RFC 8058); none for a mail about the
    /// account. Both must be in the DKIM signature, which the mail server adds (RFC 8058 §4).
    static func unsubscribing(_ message: MailMessage) -> [(name: String, value: String)] {
        guard let link = message.unsubscribeLink else { return [] }
        var headers = [(name: "List-Unsubscribe", value: link.header)]
        if let post = link.postHeader { headers.append((name: "List-Unsubscribe-Post", value: post)) }
        return headers
    }
}
