import Foundation
package import Services

/// A mail as it is sent (RFC 5322, RFC 2045): ASCII, lines of at most 78 characters that end in CRLF.
package struct MIMEMessage: Sendable {
    /// The bytes to send.
    package let bytes: [UInt8]

    /// Renders the message; the result depends on nothing else.
    package init(_ message: MailMessage) {
        // `=_` never occurs in quoted-printable text, so no part can contain the boundary (RFC 2045 §6.7).
        let boundary = "=_\(message.id)"
        let headers = [
            ("Date", UTCDate(message.date).headerText),
            ("From", HeaderEncoding.address(message.from)),
            ("To", HeaderEncoding.address(message.to)),
            ("Message-ID", "<\(message.messageID)>"),
            ("Subject", HeaderEncoding.text(message.subject.text)),
            // Prevents out-of-office replies (RFC 3834 §5).
            ("Auto-Submitted", Self.autoSubmitted),
            ("Content-Language", message.locale.rawValue),
            ("MIME-Version", "1.0"),
            ("Content-Type", "multipart/alternative;\r\n boundary=\"\(boundary)\""),
        ]
        var text = headers.map { "\($0): \($1)\r\n" }.joined()
        // The preferred part comes last (RFC 2046 §5.1.4).
        for (type, content) in [("text/plain", message.text), ("text/html", message.html)] {
            text += "\r\n--\(boundary)\r\n"
            text += "Content-Type: \(type); charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
            text += QuotedPrintable.encode(content)
        }
        text += "\r\n--\(boundary)--\r\n"
        bytes = Array(text.utf8)
    }

    /// Value of the `Auto-Submitted` header.
    static let autoSubmitted = "auto-generated"
}
