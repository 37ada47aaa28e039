/// An sRGB colour.
struct Color {
    let red: Double
    let green: Double
    let blue: Double

    /// Parses `#rrggbb`; `nil` for anything else.
    init?(_ text: String) {
        guard text.utf8.count == 7, text.utf8.first == UInt8(ascii: "#"),
            text.utf8.dropFirst().allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
            let value = Int(text.dropFirst(), radix: 16)
        else { return nil }
        (red, green, blue) = (Double(value >> 16 & 255), Double(value >> 8 & 255), Double(value & 255))
    }
}
