import CVips

/// Where the ink of a line of text lies, as Pango lays it out with the fonts of this machine.
struct TextInk {
    /// Pixels.
    let width: Int
    /// Pixels.
    let height: Int
    /// Pixels from the baseline up to the top of the ink.
    private let ascent: Int

    /// - Parameter font: a Pango description, in pixels.
    /// - Returns: `nil` if a letter is in none of the fonts, so that a box would be drawn for it.
    init?(_ text: String, font: String) {
        guard let map = unsafe pango_ft2_font_map_new() else { return nil }
        defer { unsafe g_object_unref(map) }
        unsafe cvips_set_resolution(map)
        guard let context = unsafe pango_font_map_create_context(map) else { return nil }
        defer { unsafe g_object_unref(UnsafeMutableRawPointer(context)) }
        guard let layout = unsafe pango_layout_new(context),
            let description = unsafe pango_font_description_from_string(font)
        else { return nil }
        defer {
            unsafe g_object_unref(UnsafeMutableRawPointer(layout))
            unsafe pango_font_description_free(description)
        }
        unsafe pango_layout_set_font_description(layout, description)
        unsafe pango_layout_set_text(layout, text, -1)
        guard unsafe pango_layout_get_unknown_glyphs_count(layout) == 0 else { return nil }
        var ink = PangoRectangle()
        unsafe pango_layout_get_pixel_extents(layout, &ink, nil)
        width = Int(ink.width)
        height = Int(ink.height)
        ascent = unsafe Int(pango_layout_get_baseline(layout)) / Int(PANGO_SCALE) - Int(ink.y)
    }

    /// Where the top of the ink comes to lie. What stands on the baseline, as most scripts do, is put where capitals are
    /// in the middle, whatever stands on top of them (`Ä`) or hangs below them (`Q`); anything else is in the middle itself.
    /// - Parameter side: of the picture, in pixels.
    func top(inSide side: Int, capitalHeight: Int) -> Int {
        let descent = height - ascent
        let standsOnBaseline = ascent >= capitalHeight * 9 / 10 && descent <= capitalHeight / 4
        guard standsOnBaseline else { return (side - height) / 2 }
        return (side + capitalHeight) / 2 - ascent
    }
}
