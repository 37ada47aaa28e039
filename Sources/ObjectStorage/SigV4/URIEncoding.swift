/// Amazon's `UriEncode()`: all octets except the unreserved ones of RFC 3986 become `%XX` in upper case, once
/// (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html).
enum URIEncoding {
    /// For names and values of a query; a slash becomes `%2F`.
    static func query(_ text: String) -> String { encode(text, keepingSlash: false) }

    /// For the key in a path, whose slashes are kept. S3 uses paths as they are: it resolves neither `.` nor `//`.
    static func path(_ text: String) -> String { encode(text, keepingSlash: true) }

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

    private static let digits = Array("0123456789ABCDEF".utf8)

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
