import PictureToolInterface

/// What a file says of its picture before anything is decoded.
struct PictureHeader {
    /// How it is encoded.
    let kind: PictureKind
    /// Pixels, as stored: not yet turned upright.
    let width: Int
    /// Pixels.
    let height: Int
    /// Bytes that its decoder keeps at once.
    private let decoderMemory: Int
    /// Bytes, from above, of a decoded pixel.
    private let pixelBytes: Int

    /// - Throws: `.damaged` if there is no such header; a verdict that says what is no picture of ours.
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
            // libvips maps the file, and decodes to four bands.
            (decoderMemory, pixelBytes) = (header.decoderMemory + file.count, 4)
        }
    }

    /// Whether it is a picture for us at all, however much memory there is.
    func checkLimits() throws(PictureVerdict) {
        guard min(width, height) > 0 else { throw .damaged }
        guard max(width, height) <= PictureLimits.longestSide else { throw .tooLong }
        guard min(width, height) >= PictureLimits.shortestSide else { throw .tooSmall }
        let pixels = kind == .jpeg ? PictureLimits.jpegPixels : PictureLimits.otherPixels
        guard width * height <= pixels else { throw .tooManyPixels }
    }

    /// How much smaller the decoder makes it, as a divisor: a power of two up to 8 that leaves twice what is needed, since
    /// it averages blocks, which alone would not look good. The decoder of PNG cannot.
    var shrink: Int {
        guard kind != .png else { return 1 }
        return [8, 4, 2].first { min(width, height) / $0 >= 2 * Square.workingSide } ?? 1
    }

    /// Bytes for decoding it and making our pictures, from above. The parts were found by giving ever less to pictures of
    /// every kind and shape, see docs/decisions/0014-pictures-in-a-process-of-their-own.md.
    var memory: Int {
        let (columns, rows) = (width / shrink, height / shrink)
        let decoded = columns * rows * pixelBytes * Self.copies(of: kind)
        let strip = columns * min(rows, Self.stripRows) * pixelBytes
        let scale = min(1, Double(Square.workingSide) / Double(max(1, min(columns, rows))))
        let canvas = Int(Double(columns) * scale) * Int(Double(rows) * scale) * pixelBytes
        return decoderMemory + decoded + strip + canvas + Self.constantMemory
    }

    /// How often the whole picture is in memory as it comes from the decoder: libwebp's output, libvips' frame, and what
    /// it makes of the frames so far.
    private static func copies(of kind: PictureKind) -> Int {
        kind == .webp ? 3 : 0
    }

    /// Rows that libvips keeps of what is read while it makes it smaller.
    private static let stripRows = 1_280
    /// Bytes: threads' stacks, tables of colour profiles, encoders.
    private static let constantMemory = 22 << 20
}
