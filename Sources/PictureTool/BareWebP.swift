import PictureToolInterface

/// A WebP reduced to its pixels.
enum BareWebP {
    /// Extracts the picture's own chunk from libvips' output and writes it as a file of the simple format (RFC 9649,
    /// section 2.5). libvips 8.14 adds EXIF with a resolution to every WebP, with or without `strip`, and all metadata
    /// of the original.
    /// - Throws: `.systemFault` if there is no such chunk.
    static func bytes(of webp: [UInt8]) throws(PictureVerdict) -> [UInt8] {
        // Skips `RIFF`, a length and `WEBP`.
        var rest = webp.dropFirst(12)
        while rest.count > 8 {
            let length = rest.dropFirst(4).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            // Chunks have even lengths (2.3).
            let chunk = rest.prefix(8 + length + length % 2)
            if chunk.starts(with: "VP8 ".utf8) {
                return Array("RIFF".utf8) + littleEndian(4 + chunk.count) + Array("WEBP".utf8) + chunk
            }
            rest = rest.dropFirst(chunk.count)
        }
        throw .systemFault
    }

    private static func littleEndian(_ number: Int) -> [UInt8] {
        [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
