import Foundation

/// A validated e-mail address.
///
/// Stricter than RFC 5322: no quoted local part, comment or address literal, because people do not use these.
package struct EmailAddress: Hashable, Sendable {
    /// Bytes (RFC 5321 §4.5.3.1.3, path limit without the angle brackets).
    package static let maximumLength = 254

    /// The trimmed input.
    package let text: String

    /// - Throws: `AppError.malformed` with the reason.
    package init(_ text: String) throws(AppError) {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard trimmed.utf8.count <= Self.maximumLength else {
            throw AppError(.malformed, "The e-mail address is too long.")
        }
        let parts = trimmed.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, Self.isLocalPart(parts[0]), Self.isDomain(parts[1]) else {
            throw AppError(.malformed, "This isn’t an e-mail address.")
        }
        self.text = trimmed
    }

    /// The key for uniqueness and login: mail systems ignore case, and so do people.
    package static func folded(_ text: String) -> String {
        text.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
    }

    /// RFC 5322 §3.2.3 dot-atom, up to 64 bytes (RFC 5321 §4.5.3.1.1).
    private static func isLocalPart(_ text: Substring) -> Bool {
        let atoms = text.split(separator: ".", omittingEmptySubsequences: false)
        return text.utf8.count <= 64 && atoms.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(isAtomByte) }
    }

    /// Two or more labels of letters, digits and inner hyphens (RFC 1035 §2.3.1); other scripts as their `xn--` form.
    private static func isDomain(_ text: Substring) -> Bool {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count >= 2
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                    && label.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
            }
    }

    private static func isAtomByte(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
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
