import Foundation

/// What somebody wrote with a ballot; nothing in it says who or when.
public struct Feedback: Hashable, Sendable {
    /// A feedback's identity: random, so that the order of ids is no order of arrival.
    public typealias ID = Identifier<Feedback>

    /// The feedback's identity.
    public let id: ID
    /// What was written.
    public let text: String

    /// A feedback as a store keeps it.
    public init(id: ID, text: String) {
        self.id = id
        self.text = text
    }
}

/// A text that may be stored as feedback.
///
/// How a text is written can tell on which device: line ends of Windows, letters that are composed differently on Apple's,
/// spaces that do not break, characters without a shape. So all of that is made the same.
public struct FeedbackText: Hashable, Sendable {
    /// Characters, as a person counts them.
    public static let maximumLength = 2_000
    /// Bytes: sixteen a character, so that stacked combining marks cannot make a short text huge.
    static let maximumBytes = 32_000

    /// In Unicode NFC, with `\n` at the end of lines, plain spaces, no white space at the ends, and nothing invisible but
    /// what holds an emoji together.
    public let text: String

    /// `nil` if there is nothing but white space: that is no feedback, not an empty one.
    /// - Throws: `AppError.refused` if it is too long or holds characters no text has.
    public init?(_ text: String) throws(AppError) {
        let normalized = Self.normalized(text)
        guard !normalized.isEmpty else { return nil }
        guard normalized.count <= Self.maximumLength, normalized.utf8.count <= Self.maximumBytes else {
            throw AppError(
                .refused, "The feedback is longer than \(Self.maximumLength) characters.", reason: "feedback-too-long")
        }
        guard !normalized.unicodeScalars.contains(where: Self.isControl) else {
            throw AppError(.refused, "The feedback contains a control character.", reason: "feedback-not-text")
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

    /// Control characters but line ends; NUL above all, which ends a string in C.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control && scalar != "\n"
    }
}

extension Unicode.Scalar {
    /// A character that shows as nothing and changes others at most: format characters, variation selectors, fillers.
    fileprivate var isInvisible: Bool {
        properties.generalCategory == .format || properties.isDefaultIgnorableCodePoint
    }

    /// A picture, unlike the digits, which are parts of emoji as well.
    fileprivate var isPictograph: Bool { properties.isEmoji && value >= 0xA9 }

    /// What may stand before a joiner in an emoji.
    fileprivate var isInEmoji: Bool { isPictograph || self == "\u{FE0F}" }
}
