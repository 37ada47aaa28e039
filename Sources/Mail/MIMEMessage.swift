import Foundation
public import Shared

/// A mail as the bytes that travel (RFC 5322, RFC 2045): ASCII, lines of at most 78 characters that end in CRLF.
public struct MIMEMessage: Sendable {
    /// The whole message.
    public let bytes: [UInt8]

    /// Renders the message; the same message gives the same bytes.
    public init(_ message: MailMessage) {
        // `=_` occurs in no quoted-printable text, so no part can hold the boundary (RFC 2045 §6.7).
        let boundary = "=_\(message.id)"
        let headers = [
            ("Date", UTCDate(message.date).headerText),
            ("From", HeaderEncoding.address(message.from)),
            ("To", HeaderEncoding.address(message.to)),
            ("Message-ID", "<\(message.messageID)>"),
            ("Subject", HeaderEncoding.text(message.subject.text)),
            // No out-of-office reply to a machine (RFC 3834 §5).
            ("Auto-Submitted", Self.autoSubmitted),
            ("Content-Language", message.locale.rawValue),
            ("MIME-Version", "1.0"),
            ("Content-Type", "multipart/alternative;\r\n boundary=\"\(boundary)\""),
        ]
        var text = headers.map { "\($0): \($1)\r\n" }.joined()
        // The best part comes last (RFC 2046 §5.1.4).
        for (type, content) in [("text/plain", message.text), ("text/html", message.html)] {
            text += "\r\n--\(boundary)\r\n"
            text += "Content-Type: \(type); charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
            text += QuotedPrintable.encode(content)
        }
        text += "\r\n--\(boundary)--\r\n"
        bytes = Array(text.utf8)
    }

    /// Value of the header of that name.
    static let autoSubmitted = "auto-generated"
}
