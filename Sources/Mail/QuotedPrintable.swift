/// Encodes text of any script in short ASCII lines that people can still read (RFC 2045 §6.7).
enum QuotedPrintable {
    /// Characters per line, including the `=` that continues it.
    private static let lineLimit = 76

    /// All lines end in CRLF, including the last one.
    /// - Parameter text: may contain line breaks of any kind.
    static func encode(_ text: String) -> String {
        let normalized = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
        var lines = normalized.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines.map { encodeLine(Array($0)) + "\r\n" }.joined()
    }

    private static func encodeLine(_ bytes: [UInt8]) -> String {
        var result = ""
        var length = 0
        for (index, byte) in bytes.enumerated() {
            let token = token(byte, isLast: index == bytes.count - 1)
            // Leaves room for the `=`, unless this token ends the line.
            if length + token.utf8.count > lineLimit - 1 {
                result += "=\r\n"
                length = 0
            }
            result += token
            length += token.utf8.count
        }
        return result
    }

    private static func token(_ byte: UInt8, isLast: Bool) -> String {
        let isText = (0x21...0x7e).contains(byte) && byte != UInt8(ascii: "=")
        // Mail servers may remove white space at the end of a line.
        let isInnerBlank = (byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")) && !isLast
        guard isText || isInnerBlank else {
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count == 1 ? "=0\(digits)" : "=\(digits)"
        }
        return String(Unicode.Scalar(byte))
    }
}
