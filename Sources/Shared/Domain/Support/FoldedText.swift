import Foundation

extension String {
    /// The common form of different spellings: trimmed, in Unicode NFKC and lower case.
    package var folded: String {
        trimmingCharacters(in: .whitespacesAndNewlines).precomposedStringWithCompatibilityMapping.lowercased()
    }
}

extension Unicode.Scalar.Properties {
    /// Control, format, surrogate and private-use characters, line and paragraph separators, letters without a glyph:
    /// none belongs in a name, and some reverse text or break a mail's header. Variation selectors are allowed: they
    /// are part of an emoji.
    package var isControlOrInvisible: Bool {
        switch generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: true
        default: isDefaultIgnorableCodePoint && !isVariationSelector
        }
    }
}
