import Foundation

extension String {
    /// The common form of different spellings: trimmed, in Unicode NFKC and lower case, without joiners, which are
    /// invisible between most letters.
    package var folded: String {
        let visible = unicodeScalars.contains(where: \.properties.isJoinControl) ? withoutJoiners : self
        return visible.trimmingCharacters(in: .whitespacesAndNewlines).precomposedStringWithCompatibilityMapping
            .lowercased()
    }

    private var withoutJoiners: String {
        String(UnicodeScalarView(unicodeScalars.filter { !$0.properties.isJoinControl }))
    }
}

extension Unicode.Scalar.Properties {
    /// Control, format, surrogate and private-use characters, line and paragraph separators, letters without a glyph:
    /// none belongs in a name, and some reverse text or break a mail's header. Variation selectors are allowed: they
    /// are part of an emoji. So are the zero-width joiner and non-joiner, without which Persian names and emoji of
    /// several people cannot be written.
    package var isControlOrInvisible: Bool {
        switch generalCategory {
        case .format: !isJoinControl
        case .control, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: true
        default: isDefaultIgnorableCodePoint && !isVariationSelector
        }
    }
}
