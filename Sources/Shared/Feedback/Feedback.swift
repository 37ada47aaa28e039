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
public struct FeedbackText: Hashable, Sendable {
    /// Characters, as a person counts them.
    public static let maximumLength = 2_000
    /// Bytes: sixteen a character, so that stacked combining marks cannot make a short text huge.
    static let maximumBytes = 32_000

    /// Without white space at the ends.
    public let text: String

    /// `nil` if there is nothing but white space: that is no feedback, not an empty one.
    /// - Throws: `AppError.refused` if it is too long or holds characters no text has.
    public init?(_ text: String) throws(AppError) {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !trimmed.isEmpty else { return nil }
        guard trimmed.count <= Self.maximumLength, trimmed.utf8.count <= Self.maximumBytes else {
            throw AppError(
                .refused, "The feedback is longer than \(Self.maximumLength) characters.", reason: "feedback-too-long")
        }
        guard !trimmed.unicodeScalars.contains(where: Self.isControl) else {
            throw AppError(.refused, "The feedback contains a control character.", reason: "feedback-not-text")
        }
        self.text = trimmed
    }

    /// Control characters but tab and line ends; NUL above all, which ends a string in C and in some stores.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control && scalar != "\t" && scalar != "\n" && scalar != "\r"
    }
}
