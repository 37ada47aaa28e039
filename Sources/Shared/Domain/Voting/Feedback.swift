import Foundation

/// The text a member wrote with a ballot; it contains no author and no time.
package struct Feedback: Hashable, Sendable {
    /// Identifies a feedback. Random, so that the order of ids does not show the order of arrival.
    package typealias ID = Identifier<Feedback>

    /// A new one is assigned when the sprint is cleared.
    package let id: ID
    /// The text as normalised by `FeedbackText`.
    package let text: String

    /// Creates a feedback as a store keeps it.
    package init(id: ID, text: String) {
        self.id = id
        self.text = text
    }
}

/// A text that may be stored as feedback.
///
/// The encoding of a text can reveal the device it was written on: Windows line ends, Apple's different composition of
/// letters, non-breaking spaces, characters without a glyph. All of these are normalised.
package struct FeedbackText: Hashable, Sendable {
    /// Maximum length in characters as a person counts them.
    package static let maximumLength = 2_000
    /// Bytes: sixteen per character, so that stacked combining marks cannot make a short text huge.
    static let maximumBytes = 32_000

    /// In Unicode NFC, with `\n` as line end, plain spaces, no white space at the ends, and no invisible characters
    /// except those that join an emoji.
    package let text: String

    /// `nil` if there is only white space: that means no feedback, not an empty one.
    /// - Throws: `AppError.unprocessable` if it is too long or contains invalid characters.
    package init?(_ text: String) throws(AppError) {
        let normalized = Self.normalized(text)
        guard !normalized.isEmpty else { return nil }
        guard normalized.count <= Self.maximumLength, normalized.utf8.count <= Self.maximumBytes else {
            throw AppError(
                .unprocessable, "The feedback is longer than \(Self.maximumLength) characters.",
                reason: .feedbackTooLong)
        }
        guard !normalized.unicodeScalars.contains(where: Self.isControl) else {
            throw AppError(.unprocessable, "The feedback contains a control character.", reason: .feedbackNotText)
        }
        self.text = normalized
    }

    private static func normalized(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        let typed = Array(text.unicodeScalars)
        for (index, scalar) in typed.enumerated() {
            switch scalar {
            case "\n" where index > 0 && typed[index - 1] == "\r": continue
            case "\r", "\n", "\u{85}", "\u{2028}", "\u{2029}": scalars.append("\n")
            case "\t": scalars.append(" ")
            case "\u{200D}":
                let next = index + 1 < typed.count ? typed[index + 1] : nil
                if let last = scalars.last, let next, last.isInEmoji, next.isPictograph { scalars.append(scalar) }
            case "\u{FE0F}":
                if scalars.last?.isPictograph == true { scalars.append(scalar) }
            case _ where scalar.properties.generalCategory == .spaceSeparator: scalars.append(" ")
            case _ where scalar.isInvisible: continue
            default: scalars.append(scalar)
            }
        }
        return String(scalars).precomposedStringWithCanonicalMapping.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Control characters except line ends; above all NUL, which ends a string in C.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control && scalar != "\n"
    }
}

extension Unicode.Scalar {
    /// A character without a glyph that at most changes its neighbours: format characters, variation selectors,
    /// fillers.
    fileprivate var isInvisible: Bool {
        properties.generalCategory == .format || properties.isDefaultIgnorableCodePoint
    }

    /// A pictograph, in contrast to digits, which can also be part of an emoji.
    fileprivate var isPictograph: Bool { properties.isEmoji && value >= 0xA9 }

    /// A scalar that may precede a joiner in an emoji.
    fileprivate var isInEmoji: Bool { isPictograph || self == "\u{FE0F}" }
}
