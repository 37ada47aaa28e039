import PictureToolInterface

/// The header of a picture file, read before anything is decoded.
struct PictureHeader {
    /// The file format.
    let kind: PictureKind
    /// In pixels as stored, before rotation.
    let width: Int
    /// In pixels as stored, before rotation.
    let height: Int
    /// Bytes that the decoder holds at once.
    private let decoderMemory: Int
    /// Upper bound for the bytes of a decoded pixel.
    private let pixelBytes: Int

    /// - Throws: `.damaged` if the header is invalid, or a verdict that names an unsupported format.
    init(of file: PictureFile) throws(PictureVerdict) {
        kind = try PictureKind(of: file.bytes(at: 0, count: PictureKind.decisiveLength))
        switch kind {
        case .jpeg:
            let header = try JPEGHeader(of: file)
            (width, height) = (header.width, header.height)
            (decoderMemory, pixelBytes) = (header.decoderMemory, header.pixelBytes)
        case .png:
            let header = try PNGHeader(of: file)
            (width, height) = (header.width, header.height)
            (decoderMemory, pixelBytes) = (header.decoderMemory, header.pixelBytes)
        case .webp:
            let header = try WebPHeader(of: file)
            (width, height) = (header.width, header.height)
            // libvips maps the file into memory and decodes to four bands.
            (decoderMemory, pixelBytes) = (header.decoderMemory + file.count, 4)
        }
    }

    /// Checks whether the picture is acceptable at all, regardless of memory.
    func checkLimits() throws(PictureVerdict) {
        guard min(width, height) > 0 else { throw .damaged }
        guard max(width, height) <= PictureLimits.longestSide else { throw .tooLong }
        guard min(width, height) >= PictureLimits.shortestSide else { throw .tooSmall }
        let pixels = kind == .jpeg ? PictureLimits.jpegPixels : PictureLimits.otherPixels
        guard width * height <= pixels else { throw .tooManyPixels }
    }

    /// The divisor by which the decoder reduces the picture: a power of two up to 8 that leaves twice the required
    /// size, since the decoder averages blocks, which alone would look poor. The PNG decoder cannot do this.
    var shrink: Int {
        guard kind != .png else { return 1 }
        return [8, 4, 2].first { min(width, height) / $0 >= 2 * Square.workingSide } ?? 1
    }

    /// Upper bound for the bytes needed to decode it and create our pictures. The terms were determined by giving less
    /// and less memory to pictures of every kind and shape, see
    /// docs/decisions/0014-pictures-are-processed-in-a-separate-process.md.
    var memory: Int {
        let (columns, rows) = (width / shrink, height / shrink)
        let decoded = columns * rows * pixelBytes * Self.copies(of: kind)
        let strip = columns * min(rows, Self.stripRows) * pixelBytes
        let scale = min(1, Double(Square.workingSide) / Double(max(1, min(columns, rows))))
        let canvas = Int(Double(columns) * scale) * Int(Double(rows) * scale) * pixelBytes
        return decoderMemory + decoded + strip + canvas + Self.constantMemory
    }

    /// How many copies of the decoded picture are in memory at once: libwebp's output, libvips' frame, and what it has
    /// composed of the frames so far.
    private static func copies(of kind: PictureKind) -> Int { kind == .webp ? 3 : 0 }

    /// Rows that libvips buffers while it reduces the picture.
    private static let stripRows = 1_280
    /// Bytes: thread stacks, colour profile tables, encoders.
    private static let constantMemory = 22 << 20
}
