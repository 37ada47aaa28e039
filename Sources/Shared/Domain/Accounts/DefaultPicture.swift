import Foundation

/// The picture of a user who has not uploaded one: the initials of the name on a colour.
package struct DefaultPicture: Hashable, Sendable {
    /// One or two letters or digits, or a question mark.
    package let letters: String
    /// The background as `#rrggbb`; white text on it is legible.
    package let color: String
    /// Side length in pixels.
    package let size: ProfilePicture.Size

    /// The picture of a user; the same as long as the name is.
    package init(of user: User, size: ProfilePicture.Size) {
        letters = Self.initials(of: user.shownName)
        color = Self.palette[Self.index(of: user.id)]
        self.size = size
    }

    /// Parses the result of `fileName`; `nil` for anything else.
    package init?(fileName: String) {
        let parts = fileName.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = [UInt8](hexadecimal: String(parts[0])), bytes.count <= Self.maximumBytes,
            let letters = String(validating: bytes, as: UTF8.self),
            Self.palette.contains("#\(parts[1])"), parts[2].hasSuffix(".png"),
            let side = Int(parts[2].dropLast(".png".count)), let size = ProfilePicture.Size(rawValue: side)
        else { return nil }
        self.letters = letters
        color = "#\(parts[1])"
        self.size = size
    }

    /// Letters, colour and size, like `4142-1f6f43-96.png`. The letters are encoded as digits, because old clients
    /// escape other characters differently.
    package var fileName: String {
        "\(Array(letters.utf8).hexadecimal)-\(color.dropFirst())-\(size.rawValue).png"
    }

    /// Backgrounds on which white has a contrast of at least 4.5 (WCAG 2.2, 1.4.3).
    static let palette = [
        "#b3261e", "#a23b00", "#7a5200", "#4d6500", "#1f6f43", "#00695c", "#00639b", "#2455c3", "#5b45c9", "#8e2f9e",
        "#a8326d", "#4f5b66",
    ]

    /// Two letters of at most four bytes each.
    private static let maximumBytes = 8

    /// The first letters of the first two words, or a question mark for a name without any.
    static func initials(of name: String) -> String {
        let words = name.split { !($0.isLetter || $0.isNumber) }
        // Only the first scalar of a character that has several, or gets several in capitals: one letter, one glyph.
        let letters = words.prefix(2).compactMap { $0.uppercased().unicodeScalars.first }
        return letters.isEmpty ? "?" : String(String.UnicodeScalarView(letters))
    }

    /// Derived from the id, which is random: constant per user, and evenly distributed.
    private static func index(of id: User.ID) -> Int {
        id.description.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xffff } % palette.count
    }
}
