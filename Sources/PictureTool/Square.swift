import CVips
import PictureToolInterface

/// A square cropped from a user's picture: upright, in sRGB, without any other content of the file.
struct Square: ~Copyable {
    /// Side of the largest picture created, in pixels; larger ones are reduced to it first.
    static let workingSide = 512
    private static let jpegQuality: Int32 = 85
    private static let webpQuality: Int32 = 82

    private let image: Image

    /// - Throws: `.damaged`; decodes the whole file.
    init(of file: PictureFile, header: PictureHeader) throws(PictureVerdict) {
        let small = try Self.load(file, header).computed()
        let side = Int32(clamping: small.shortSide)
        // Crops first: rotating or converting a whole panorama would hold it in memory twice.
        let square = try unsafe small.then { unsafe cvips_crop_by_attention($0, $1, side) }.computed()
        try Image.checkNothingFailed()
        image = try Self.pixels(of: unsafe Self.inSRGB(square).then(cvips_turn_upright))
    }

    /// Writes each size as WebP, then as JPEG.
    func write(sides: some Sequence<Int>) throws(PictureVerdict) {
        for side in sides {
            let resized = try unsafe image.then { unsafe cvips_resize_to_square($0, $1, Int32(clamping: side)) }
                .computed()
            guard resized.width == side, resized.height == side else { throw .damaged }
            let webp = try unsafe resized.encoded { unsafe cvips_save_webp($0, $1, $2, Self.webpQuality) }
            try StandardOutput.writeFrame(BareWebP.bytes(of: webp))
            let jpeg = try unsafe resized.encoded { unsafe cvips_save_jpeg($0, $1, $2, Self.jpegQuality) }
            try StandardOutput.writeFrame(jpeg)
        }
    }

    /// Decodes with the loader of its format only, and reduces the picture while decoding.
    private static func load(_ file: PictureFile, _ header: PictureHeader) throws(PictureVerdict) -> Image {
        guard let source = unsafe vips_source_new_from_descriptor(file.descriptor) else { throw .systemFault }
        defer { unsafe g_object_unref(source) }
        let loaded =
            switch header.kind {
            case .jpeg: try unsafe Image { unsafe cvips_load_jpeg(source, Int32(header.shrink), $0) }
            case .png: try unsafe Image { unsafe cvips_load_png(source, $0) }
            case .webp: try unsafe Image { unsafe cvips_load_webp(source, 1 / Double(header.shrink), $0) }
            }
        let opaque = try Self.flattened(loaded)
        guard opaque.shortSide > workingSide else { return opaque }
        let scale = Double(workingSide) / Double(opaque.shortSide)
        return try unsafe opaque.then { unsafe cvips_resize($0, $1, scale) }
    }

    private static func flattened(_ image: consuming Image) throws(PictureVerdict) -> Image {
        guard unsafe vips_image_hasalpha(image.pointer) != 0 else { return image }
        let has16Bits = unsafe vips_image_get_format(image.pointer) == VIPS_FORMAT_USHORT
        return try unsafe image.then { unsafe cvips_flatten($0, $1, has16Bits ? 65_535 : 255) }
    }

    /// A profile that libvips cannot read is not a reason to reject the picture: without it the colours are slightly
    /// off.
    private static func inSRGB(_ image: borrowing Image) throws(PictureVerdict) -> Image {
        let isCMYK = unsafe vips_image_get_interpretation(image.pointer) == VIPS_INTERPRETATION_CMYK
        guard unsafe isCMYK || vips_image_get_typeof(image.pointer, VIPS_META_ICC_NAME) != 0 else {
            return try unsafe image.then(cvips_convert)
        }
        do {
            return try unsafe image.then { unsafe cvips_convert_by_profile($0, $1, isCMYK ? "cmyk" : "srgb") }
                .computed()
        } catch .damaged {
            return try unsafe image.then(cvips_convert)
        }
    }

    /// An image with the pixels only. Metadata, which libvips copies and its encoders write, cannot survive this.
    private static func pixels(of image: borrowing Image) throws(PictureVerdict) -> Image {
        var count = 0
        guard unsafe vips_image_get_bands(image.pointer) == 3,
            unsafe vips_image_get_format(image.pointer) == VIPS_FORMAT_UCHAR,
            let bytes = unsafe vips_image_write_to_memory(image.pointer, &count)
        else { throw .damaged }
        defer { unsafe g_free(bytes) }
        let bare = try unsafe Image { result in
            unsafe result.pointee = vips_image_new_from_memory_copy(
                bytes, count, Int32(image.width), Int32(image.height), 3, VIPS_FORMAT_UCHAR)
            return unsafe result.pointee == nil ? -1 : 0
        }
        return try unsafe bare.then(cvips_declare_srgb)
    }
}
