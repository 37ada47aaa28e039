/// The name of an object: parts of lower-case letters, digits, `-`, `_` and `.`, with `/` between them.
///
/// Narrow enough to be a path of a file below a folder and a path of a URL as it stands, with no escape.
public struct ObjectKey: Hashable, Sendable, CustomStringConvertible {
    /// Like `pictures/4f1c…/512.webp`.
    public let text: String

    /// Bytes of a part. The name of a file has 255 at most, and a store may want to put something behind it.
    private static let maximumPartLength = 200

    /// `nil` for text that is no key: empty, over 256 bytes, another character, or a part that is empty, over 200 bytes or
    /// begins with a dot.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard (1...256).contains(text.utf8.count),
            parts.allSatisfy(Self.isPart)
        else { return nil }
        self.text = text
    }

    /// For keys made here of parts that are known to be right.
    init(unchecked text: String) {
        self.text = text
    }

    /// The key itself, which is no secret.
    public var description: String { text }

    private static func isPart(_ part: Substring) -> Bool {
        (1...maximumPartLength).contains(part.utf8.count) && !part.hasPrefix(".") && part.utf8.allSatisfy(isAllowed)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
