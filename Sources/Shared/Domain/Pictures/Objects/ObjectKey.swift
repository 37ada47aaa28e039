/// The name of an object: parts of lower-case letters, digits, `-`, `_` and `.`, separated by `/`.
///
/// Restricted so that it can serve unescaped as a file path below a folder and as a URL path.
package struct ObjectKey: Hashable, Sendable, CustomStringConvertible {
    /// Like `pictures/4f1c…/512.webp`.
    package let text: String

    /// Bytes of a part. File names have at most 255, and a store may append a suffix.
    private static let maximumPartLength = 200

    /// `nil` if the text is not a valid key: it is empty, is longer than 256 bytes, contains another character, or has
    /// a part that is empty, is longer than 200 bytes or begins with a dot.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard (1...256).contains(text.utf8.count),
            parts.allSatisfy(Self.isPart)
        else { return nil }
        self.text = text
    }

    /// For keys built here from known valid parts.
    init(unchecked text: String) {
        self.text = text
    }

    /// The key as text; it is not secret.
    package var description: String { text }

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
