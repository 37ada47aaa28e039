import Foundation

/// What stands for a user who uploaded no picture: the initials of the name on a colour.
public struct DefaultPicture: Hashable, Sendable {
    /// One or two letters or digits, or a question mark.
    public let letters: String
    /// Of the ground, as `#rrggbb`; white on it is read well.
    public let color: String
    /// Pixels along each side.
    public let size: ProfilePicture.Size

    /// The one of a user, always the same while the name is.
    public init(of user: User, size: ProfilePicture.Size) {
        letters = Self.initials(of: user.name)
        color = Self.palette[Self.index(of: user.id)]
        self.size = size
    }

    /// Reads what `fileName` prints; `nil` for anything else.
    public init?(fileName: String) {
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

    /// Letters, colour and size, like `4142-1f6f43-96.png`. Digits for the letters, since old clients do not agree on how
    /// others are escaped.
    public var fileName: String {
        "\(Array(letters.utf8).hexadecimal)-\(color.dropFirst())-\(size.rawValue).png"
    }

    /// Grounds on which white has a contrast of 4.5 or more (WCAG 2.2, 1.4.3).
    static let palette = [
        "#b3261e", "#a23b00", "#7a5200", "#4d6500", "#1f6f43", "#00695c", "#00639b", "#2455c3", "#5b45c9", "#8e2f9e",
        "#a8326d", "#4f5b66",
    ]

    /// Two letters of four bytes each.
    private static let maximumBytes = 8

    /// The first letters of the first two words, or a question mark for a name that has none.
    static func initials(of name: String) -> String {
        let words = name.split { !($0.isLetter || $0.isNumber) }
        // Of a character that is made of several, or becomes several in capitals, the first: one letter, one glyph.
        let letters = words.prefix(2).compactMap { $0.uppercased().unicodeScalars.first }
        return letters.isEmpty ? "?" : String(String.UnicodeScalarView(letters))
    }

    /// By the id, which is random: the same for good, and about as often as any other.
    private static func index(of id: User.ID) -> Int {
        id.description.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xffff } % palette.count
    }
}
