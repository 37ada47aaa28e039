import Domain
import Foundation

/// Header values in ASCII (RFC 5322, RFC 2047).
enum HeaderEncoding {
    /// Maximum length of a value without encoded words, in characters: with the longest header name the line stays
    /// below the recommended 78 (RFC 5322 §2.1.1).
    private static let plainLimit = 60
    /// Bytes of text in one encoded word, in base64, so that `Subject: ` and the first word fit into the 76 characters
    /// of a line with encoded words (RFC 2047 §2).
    private static let wordLimit = 39

    /// Encodes a line of free text, such as a subject.
    /// - Parameter separator: text between encoded words: a fold, or a space where lines must not be folded.
    static func text(_ text: String, separator: String = "\r\n ") -> String {
        let isPlain = text.utf8.allSatisfy { (0x20...0x7e).contains($0) } && !text.contains("=?")
        return isPlain && text.utf8.count <= plainLimit ? text : encodedWords(text).joined(separator: separator)
    }

    /// `Name <address>`. A name with anything but letters, digits and spaces is encoded, never quoted, so that none of
    /// its commas or brackets can end the address.
    static func address(_ address: MailAddress, separator: String = "\r\n ") -> String {
        guard let name = address.name?.text else { return address.email.text }
        let isPlain = name.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: " ") }
        let words = isPlain && name.utf8.count <= plainLimit ? [name] : encodedWords(name)
        return (words + ["<\(address.email.text)>"]).joined(separator: separator)
    }

    /// The text in base64 words that each hold whole characters (RFC 2047 §5).
    private static func encodedWords(_ text: String) -> [String] {
        var words: [String] = []
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            let encoded = Array(String(scalar).utf8)
            if bytes.count + encoded.count > wordLimit {
                words.append(encodedWord(bytes))
                bytes = []
            }
            bytes += encoded
        }
        return words + [encodedWord(bytes)]
    }

    private static func encodedWord(_ bytes: [UInt8]) -> String {
        "=?UTF-8?B?\(Data(bytes).base64EncodedString())?="
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: false
        }
    }
}
