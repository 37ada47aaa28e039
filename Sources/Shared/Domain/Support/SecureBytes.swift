package import Crypto
package import Foundation

/// Random, hashed and compared bytes: the few operations behind every secret of the product.
package enum SecureBytes {
    /// Bytes from the system's cryptographic generator (`getrandom` on Linux).
    package static func random(count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        // Each number is a system call.
        let words = (0..<(count + 7) / 8).map { _ in generator.next() }
        return (0..<count).map { UInt8(truncatingIfNeeded: words[$0 / 8] >> UInt64(8 * ($0 % 8))) }
    }

    /// SHA-256, 32 bytes.
    package static func sha256(_ bytes: some DataProtocol) -> [UInt8] {
        Array(SHA256.hash(data: bytes))
    }

    /// HMAC-SHA-256 (RFC 2104), 32 bytes.
    package static func hmac(_ bytes: some DataProtocol, key: SymmetricKey) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
    }

    /// Compares in a time that depends only on the lengths, so that an attacker learns nothing from the duration.
    package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension Sequence where Element == UInt8 {
    /// Two lower-case hexadecimal digits per byte.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(2 * underestimatedCount)
        for byte in self {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// base64url without padding (RFC 4648 §5): safe in a URL and a mail.
    package var base64URL: String {
        Data(self).base64EncodedString(options: [.base64URLAlphabet, .omitPaddingCharacter])
    }
}

extension Array where Element == UInt8 {
    /// Parses the result of `hexadecimal`; `nil` for anything else.
    package init?(hexadecimal text: String) {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = Self.nibble(digits[index]), let low = Self.nibble(digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        self = bytes
    }

    private static func nibble(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
