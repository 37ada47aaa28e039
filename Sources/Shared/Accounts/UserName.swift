import Foundation

/// A user name that is fit to be stored.
public struct UserName: Hashable, Sendable {
    /// Characters. Long enough for any name, short enough for a menu.
    public static let maximumLength = 64
    /// Bytes: sixteen a character, so that stacked combining marks cannot make a short name huge.
    static let maximumBytes = 16 * maximumLength

    /// As typed, without white space at the ends, in Unicode NFC.
    public let text: String

    /// - Throws: `AppError.refused` saying what is wrong with it.
    public init(_ text: String) throws(AppError) {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines).precomposedStringWithCanonicalMapping
        guard !trimmed.isEmpty else { throw AppError(.refused, "The user name is empty.") }
        guard trimmed.count <= Self.maximumLength, trimmed.utf8.count <= Self.maximumBytes else {
            throw AppError(.refused, "The user name is longer than \(Self.maximumLength) characters.")
        }
        // An @ marks an e-mail address at log-in, which takes either. Folding makes one of its wide and small forms.
        guard !Self.folded(trimmed).contains("@") else { throw AppError(.refused, "A user name cannot contain @.") }
        guard !trimmed.unicodeScalars.contains(where: \.properties.isControlOrInvisible) else {
            throw AppError(.refused, "The user name contains a control or invisible character.")
        }
        // Names stand in mails to people who do not know their bearers.
        guard !Self.folded(trimmed).contains("://") else {
            throw AppError(.refused, "A user name cannot contain a web address.")
        }
        self.text = trimmed
    }

    /// What two spellings of one name have in common: the key of uniqueness and of log-in.
    public static func folded(_ text: String) -> String {
        text.trimmingCharacters(in: .whitespacesAndNewlines).precomposedStringWithCompatibilityMapping.lowercased()
    }
}

extension Unicode.Scalar.Properties {
    /// Control, format, surrogate and private characters, line and paragraph separators, letters that show as
    /// nothing: none belongs in a name, and some turn text around or break a mail's header. Variation selectors do;
    /// they are part of an emoji.
    var isControlOrInvisible: Bool {
        switch generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: true
        default: isDefaultIgnorableCodePoint && !isVariationSelector
        }
    }
}
