/// Percent-encoding (RFC 3986 §2.1): every octet except the unreserved ones (§2.3) becomes `%XX` in upper case, once.
///
/// Amazon's `UriEncode()` is the same
/// (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html).
package enum PercentEncoding {
    /// For a name or a value of a query or a form; a slash becomes `%2F`.
    package static func encode(_ text: String) -> String { encode(text, keepingSlash: false) }

    /// For a path, whose slashes are kept. `.` and `//` stay as they are.
    package static func path(_ text: String) -> String { encode(text, keepingSlash: true) }

    /// `application/x-www-form-urlencoded`, with `%20` for spaces, so that it also works in an address. Keeps the order
    /// of the fields; a name may occur more than once.
    package static func form(_ fields: [(name: String, value: String)]) -> String {
        fields.map { "\(encode($0.name))=\(encode($0.value))" }.joined(separator: "&")
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func encode(_ text: String, keepingSlash: Bool) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if isUnreserved(byte) || (keepingSlash && byte == UInt8(ascii: "/")) {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
