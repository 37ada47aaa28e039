import Foundation

extension Array where Element == UInt8 {
    /// Parses the result of `base64URL` and nothing else: no padding, no line breaks, and the unused bits of the last
    /// digit must be zero (RFC 4648 §3.5). So each value has one spelling, and changing a token always invalidates it.
    package init?(base64URL text: some StringProtocol) {
        // As bytes: the same replacements in a `String` took longer than checking a signature.
        var digits = Array(text.utf8)
        for index in digits.indices {
            switch digits[index] {
            case UInt8(ascii: "-"): digits[index] = UInt8(ascii: "+")
            case UInt8(ascii: "_"): digits[index] = UInt8(ascii: "/")
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
            default: continue
            }
        }
        digits += Array(repeating: UInt8(ascii: "="), count: (4 - digits.count % 4) % 4)
        let padded = Data(digits)
        guard let data = Data(base64Encoded: padded), data.base64EncodedData() == padded else { return nil }
        self = Array(data)
    }
}
