import Foundation

/// A validated e-mail address.
///
/// Stricter than RFC 5322: no quoted local part, comment or address literal, because people do not use these. The domain
/// may be typed in any script and is kept in ASCII, which is what mail servers know and what cannot imitate another one
/// (decision 65).
package struct EmailAddress: Hashable, Sendable {
    /// Bytes (RFC 5321 §4.5.3.1.3, path limit without the angle brackets).
    package static let maximumLength = 254

    /// The trimmed input, with the domain in ASCII: `hanna@xn--mller-kva.example`.
    package let text: String

    /// - Throws: `AppError.malformed` with the reason.
    package init(_ text: String) throws(AppError) {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        let parts = trimmed.split(separator: "@", omittingEmptySubsequences: false)
        guard trimmed.utf8.count <= MailDomain.maximumTypedLength else { throw Self.tooLong }
        guard parts.count == 2, Self.isLocalPart(parts[0]) else { throw Self.notAnAddress }
        var domain = String(parts[1])
        // As typed if it is in ASCII, in capital letters too.
        if !domain.utf8.allSatisfy({ $0 < 0x80 }) {
            guard let ascii = MailDomain.ascii(domain) else { throw Self.notAnAddress }
            domain = ascii
        }
        let address = "\(parts[0])@\(domain)"
        guard address.utf8.count <= Self.maximumLength else { throw Self.tooLong }
        guard Self.isDomain(domain[...]) else { throw Self.notAnAddress }
        self.text = address
    }

    private static let tooLong = AppError(.malformed, "The e-mail address is too long.")
    private static let notAnAddress = AppError(.malformed, "This isn’t an e-mail address.")

    /// The domain in lower case and ASCII.
    package var domain: String { text.split(separator: "@").last?.lowercased() ?? "" }

    /// A domain in lower case and ASCII, from either form; `nil` if no address can have it.
    package static func domain(_ typed: String) -> String? { (try? EmailAddress("a@\(typed)"))?.domain }

    /// The key for uniqueness and login: mail systems ignore case, and so do people. The domain may be in either form.
    package static func folded(_ text: String) -> String {
        let folded = text.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
        guard !folded.utf8.allSatisfy({ $0 < 0x80 }), let at = folded.lastIndex(of: "@"),
            let domain = MailDomain.ascii(folded[folded.index(after: at)...])
        else { return folded }
        return "\(folded[...at])\(domain)"
    }

    /// An address or a domain with the domain's letters, for a search and for what the operator has set.
    package static func readable(_ text: String) -> String {
        guard text.contains("xn--") || text.contains("XN--") else { return text }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        let domain = MailDomain.readable((parts.last ?? "").lowercased())
        return (parts.dropLast().map(String.init) + [domain]).joined(separator: "@")
    }

    /// RFC 5322 §3.2.3 dot-atom, up to 64 bytes (RFC 5321 §4.5.3.1.1).
    private static func isLocalPart(_ text: Substring) -> Bool {
        let atoms = text.split(separator: ".", omittingEmptySubsequences: false)
        return text.utf8.count <= 64 && atoms.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(isAtomByte) }
    }

    /// Two or more labels of letters, digits and inner hyphens (RFC 1035 §2.3.1).
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
