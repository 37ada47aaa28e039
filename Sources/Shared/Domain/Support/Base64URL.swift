import Foundation

extension Array where Element == UInt8 {
    /// Parses the result of `base64URL` and nothing else: no padding, no line breaks, and the unused bits of the last
    /// digit must be zero (RFC 4648 §3.5). So each value has one spelling, and changing a token always invalidates it.
    package init?(base64URL text: some StringProtocol) {
        guard text.utf8.allSatisfy(Self.isBase64URLDigit) else { return nil }
        let standard = String(text).replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: standard + padding), data.base64URL == text else { return nil }
        self = Array(data)
    }

    private static func isBase64URLDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
