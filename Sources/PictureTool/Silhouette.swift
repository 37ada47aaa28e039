import CVips
import PictureToolInterface

/// A head and shoulders, drawn without a font.
struct Silhouette {
    /// Drawn at a multiple of its size and then reduced, to smooth the edges.
    private static let enlargement = 4

    /// Pixels.
    let side: Int

    /// White inside the figure.
    func mask() throws(PictureVerdict) -> Image {
        let large = Int32(side * Self.enlargement)
        let image = try unsafe Image { unsafe cvips_black($0, large) }
        guard unsafe cvips_draw_disc(image.pointer, large / 2, large * 38 / 100, large * 17 / 100) == 0,
            unsafe cvips_draw_disc(image.pointer, large / 2, large * 96 / 100, large * 35 / 100) == 0
        else { throw .systemFault }
        return try unsafe image.then { unsafe cvips_resize_to_square($0, $1, Int32(side)) }
    }
}
