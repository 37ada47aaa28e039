import Foundation

/// The domain of an e-mail address in its two forms. `müller.example` is for people, `xn--mller-kva.example` is what
/// mail servers know. Both mean the same domain (RFC 5890 §2.3.2.1), and everything stored has the second.
enum MailDomain {
    /// Bytes of a domain that is typed with letters of any script: four for each of the ASCII form.
    static let maximumTypedLength = 4 * EmailAddress.maximumLength

    /// The ASCII form in lower case; `nil` if the letters are not those of a domain.
    ///
    /// Different spellings have one form: case, composed and decomposed letters, full-width letters and dots
    /// (RFC 5895 §2). Invisible characters are refused, and so are symbols.
    static func ascii(_ typed: some StringProtocol) -> String? {
        guard typed.utf8.count <= maximumTypedLength else { return nil }
        guard !typed.utf8.allSatisfy({ $0 < 0x80 }) else { return typed.lowercased() }
        // Lower-casing can leave a letter in two parts.
        let text = String(typed).precomposedStringWithCompatibilityMapping.lowercased()
            .precomposedStringWithCompatibilityMapping.replacing("\u{3002}", with: ".")
        var labels: [String] = []
        for label in text.split(separator: ".", omittingEmptySubsequences: false) {
            if label.utf8.allSatisfy({ $0 < 0x80 }) {
                labels.append(String(label))
            } else {
                guard isReadable(label) else { return nil }
                labels.append(prefix + Punycode.encoded(label))
            }
        }
        return labels.joined(separator: ".")
    }

    /// For people. Labels that nobody could have typed stay as they are: what they show could mislead.
    /// - Parameter ascii: in lower case.
    static func readable(_ ascii: String) -> String {
        ascii.split(separator: ".", omittingEmptySubsequences: false)
            .map { label in
                guard label.hasPrefix(prefix), let text = Punycode.decoded(label.dropFirst(prefix.count)),
                    Self.ascii(text) == String(label)
                else { return String(label) }
                return text
            }
            .joined(separator: ".")
    }

    private static let prefix = "xn--"

    /// Letters, marks, digits and hyphens, roughly as RFC 5892 §2 has it. A label of 63 bytes has at most that many
    /// characters.
    private static func isReadable(_ label: Substring) -> Bool {
        guard let first = label.unicodeScalars.first, label.unicodeScalars.count <= 63, !label.hasPrefix(prefix),
            first != "-", label.unicodeScalars.last != "-"
        else { return false }
        switch first.properties.generalCategory {
        case .nonspacingMark, .spacingMark: return false
        default: break
        }
        return label.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .lowercaseLetter, .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark, .decimalNumber:
                !scalar.properties.isDefaultIgnorableCodePoint
            default: scalar == "-"
            }
        }
    }
}
