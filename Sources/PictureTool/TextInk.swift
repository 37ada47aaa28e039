import CVips

/// The ink rectangle of a line of text, as Pango lays it out with this machine's fonts.
struct TextInk {
    /// Pixels.
    let width: Int
    /// Pixels.
    let height: Int
    /// Pixels from the baseline to the top of the ink.
    private let ascent: Int

    /// - Parameter font: a Pango font description, in pixels.
    /// - Returns: `nil` if no font has one of the letters, which would be drawn as a box.
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

    /// Position of the top of the ink. Letters on a baseline, as in most scripts, are placed such that capitals are
    /// centred, whatever extends above (`Ä`) or below them (`Q`); anything else is centred by its ink.
    /// - Parameter side: of the picture, in pixels.
    func top(inSide side: Int, capitalHeight: Int) -> Int {
        let descent = height - ascent
        let standsOnBaseline = ascent >= capitalHeight * 9 / 10 && descent <= capitalHeight / 4
        guard standsOnBaseline else { return (side - height) / 2 }
        return (side + capitalHeight) / 2 - ascent
    }
}
