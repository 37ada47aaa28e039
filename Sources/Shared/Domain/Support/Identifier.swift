/// The identity of one `Entity`: 128 random bits as 32 lower-case hexadecimal digits.
///
/// Random, so that it reveals neither order nor time of creation. Typed, so that a team's id cannot be passed in place
/// of a user's.
package struct Identifier<Entity>: Hashable, Comparable, Sendable, LosslessStringConvertible {
    /// The 32 digits; safe in a URL, a JSON string and a database key.
    package let description: String

    /// Accepts only the form that `random()` creates; anything else returns `nil`, so untrusted text can be passed
    /// unchecked.
    package init?(_ description: String) {
        guard description.utf8.count == 32, description.utf8.allSatisfy(Self.isDigit) else { return nil }
        self.description = description
    }

    private init(unchecked description: String) {
        self.description = description
    }

    /// A new id from the system's cryptographic generator.
    package static func random() -> Self {
        Self(unchecked: SecureBytes.random(count: 16).hexadecimal)
    }

    /// Compares the digits: an order for lists and pages, without meaning.
    package static func < (left: Self, right: Self) -> Bool { left.description < right.description }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}

extension Identifier: Codable {
    /// Decodes the 32 digits.
    /// - Throws: `DecodingError` for anything else.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let id = Self(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an id")
        }
        self = id
    }

    /// Encodes the 32 digits.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
