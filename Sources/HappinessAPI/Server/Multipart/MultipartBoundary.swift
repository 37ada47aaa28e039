import Domain
import Foundation

/// The boundary between the parts of a multipart body (RFC 2046 §5.1.1).
struct MultipartBoundary: Hashable, Sendable {
    /// 1 to 70 bytes.
    let text: String

    /// Reads the boundary from a Content-Type.
    /// - Throws: `AppError.malformed` if it is missing or not allowed by RFC 2046.
    init(contentType: String) throws(AppError) {
        let value = HeaderParameters(contentType).first("boundary") ?? ""
        guard (1...70).contains(value.utf8.count), value.last != " ", value.utf8.allSatisfy(Self.isAllowed) else {
            throw AppError(
                .malformed, "The Content-Type of the upload has no boundary, or one that isn’t allowed.")
        }
        text = value
    }

    /// Whether a byte is in `bchars`, the characters of a boundary.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: "'()+_,-./:=? ".utf8.contains(byte)
        }
    }
}
