import CVips
import PictureToolInterface

/// A default picture: letters on a colour, or a head and shoulders if no font has the letters.
struct Initials {
    /// Bytes in addition to the libraries. Fonts are mapped completely; those for Chinese or Japanese are the largest.
    static let memory = 192 << 20
    /// As a fraction of the side. Larger letters would touch the edge where the picture is shown in a circle.
    private static let fontSize = 0.44
    /// Maximum width of the letters as a fraction of the side.
    private static let widest = 0.66

    private let letters: String
    private let color: Color
    private let side: Int

    /// - Parameter side: in pixels.
    init(_ letters: String, on color: Color, side: Int) {
        self.letters = letters
        self.color = color
        self.side = side
    }

    /// - Throws: `.systemFault` if it cannot be drawn.
    func png() throws(PictureVerdict) -> [UInt8] {
        let letters = try lettersMask()
        let mask = if let letters { letters } else { try Silhouette(side: side).mask() }
        let picture = try unsafe mask.then { unsafe cvips_paint_white($0, $1, color.red, color.green, color.blue) }
        return try unsafe picture.encoded(cvips_save_png)
    }

    /// `nil` if no font has the letters.
    private func lettersMask() throws(PictureVerdict) -> Image? {
        let wanted = Double(side) * Self.fontSize
        guard let normal = TextInk(letters, font: Self.font(wanted)), normal.width > 0 else { return nil }
        let size = wanted * min(1, Double(side) * Self.widest / Double(normal.width))
        guard let ink = TextInk(letters, font: Self.font(size)),
            let capital = TextInk("H", font: Self.font(size))
        else { return nil }
        guard let markup = unsafe g_markup_escape_text(letters, -1) else { throw .systemFault }
        defer { unsafe g_free(markup) }
        let drawn = try unsafe Image { unsafe cvips_text($0, markup, Self.font(size)) }
        let top = ink.top(inSide: side, capitalHeight: capital.height)
        let left = (side - drawn.width) / 2
        return try unsafe drawn.then { unsafe cvips_place($0, $1, Int32(left), Int32(top), Int32(side)) }
    }

    private static func font(_ size: Double) -> String { "Sans Bold \(Int(size.rounded()))" }
}
