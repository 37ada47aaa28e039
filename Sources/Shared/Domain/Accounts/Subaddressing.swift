import Foundation

/// Which addresses reach the same mailbox: `MAIL_SUBADDRESSING`.
///
/// With the separator `+`, mail to `carl+x@example.org` arrives at `carl@example.org` (RFC 5233 §4). One mailbox joins a
/// team once and has one ballot in a sprint, however many accounts it has.
package struct Subaddressing: Hashable, Sendable {
    /// What separates the mailbox from what follows it.
    private enum Separator: Hashable, CustomStringConvertible {
        /// The domain has no sub-addresses.
        case none
        case character(Character)

        var description: String {
            switch self {
            case .none: "none"
            case .character(let character): String(character)
            }
        }

        /// What servers use: no letter, digit or dot.
        init?(_ text: String) {
            switch text {
            case "none": self = .none
            case "+", "-", "_", "=": self = .character(Character(text))
            default: return nil
            }
        }
    }

    private let standard: Separator
    /// By domain, in lower case and ASCII. A domain does not include its subdomains.
    private let exceptions: [String: Separator]

    /// `+` at every domain.
    package static let plus = Subaddressing(standard: .character("+"), exceptions: [:])

    private init(standard: Separator, exceptions: [String: Separator]) {
        self.standard = standard
        self.exceptions = exceptions
    }

    /// Parses `+,example.org:none,example.net:-`: the separator of all domains, and exceptions. Without the former it
    /// stays `+`.
    /// - Throws: `SettingsError`.
    package init(setting text: String) throws(SettingsError) {
        var standard: Separator?
        var exceptions: [String: Separator] = [:]
        for entry in text.split(separator: ",") {
            let parts = entry.split(separator: ":", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard let last = parts.last, let separator = Separator(last) else { throw Self.rejection }
            if parts.count == 1, standard == nil {
                standard = separator
            } else if parts.count == 2, let domain = EmailAddress.domain(parts[0]), exceptions[domain] == nil {
                exceptions[domain] = separator
            } else {
                throw Self.rejection
            }
        }
        self.init(standard: standard ?? .character("+"), exceptions: exceptions)
    }

    /// The setting in the only form that settings of the same effect have.
    package var canonical: String {
        let others = exceptions.filter { $0.value != standard }.sorted { $0.key < $1.key }
        return ([standard.description] + others.map { "\($0.key):\($0.value)" }).joined(separator: ",")
    }

    private static let rejection = SettingsError(
        key: "MAIL_SUBADDRESSING",
        expectation: "one of + - _ = none for all domains, and others for some: +,example.org:none,example.net:-")

    /// The mailbox that an address reaches.
    package func mailbox(of address: String) -> Mailbox {
        let folded = EmailAddress.folded(address)
        guard let at = folded.lastIndex(of: "@") else { return Mailbox(address: folded, subaddresses: nil) }
        let (local, domain) = (folded[..<at], folded[folded.index(after: at)...])
        guard case .character(let separator) = exceptions[String(domain)] ?? standard else {
            return Mailbox(address: folded, subaddresses: nil)
        }
        // An address that begins with the separator names no mailbox before it.
        let name = local.dropFirst().firstIndex(of: separator).map { local[..<$0] } ?? local
        return Mailbox(address: "\(name)@\(domain)", subaddresses: TextPrefix(text: "\(name)\(separator)"))
    }
}

/// A mailbox, by the address that all its sub-addresses are folded to.
package struct Mailbox: Hashable, Sendable {
    /// Case-folded, without a sub-address.
    package let address: String
    /// The beginning of its case-folded sub-addresses, which others at another domain may have too; `nil` if it can
    /// have none.
    package let subaddresses: TextPrefix?
}
