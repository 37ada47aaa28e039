import PictureToolInterface

/// The chunks of a PNG up to its data (PNG specification, third edition, https://www.w3.org/TR/png-3/).
struct PNGHeader {
    /// Pixels.
    let width: Int
    /// Pixels.
    let height: Int
    /// Bytes. Rows are decoded one by one, but an interlaced picture is complete only after its seventh pass.
    let decoderMemory: Int
    /// Bytes per decoded pixel: four bands, since a palette may have an alpha channel.
    let pixelBytes: Int

    /// - Throws: `.animated` for a PNG with several frames (APNG), `.damaged`.
    init(of file: PictureFile) throws(PictureVerdict) {
        // IHDR comes first and has 13 bytes (11.2.1): width, height, depth, colour type, two methods, interlace.
        guard file.number(at: 8, count: 4) == 13, file.bytes(at: 12, count: 4) == Array("IHDR".utf8),
            let width = file.number(at: 16, count: 4), let height = file.number(at: 20, count: 4),
            let depth = file.number(at: 24, count: 1), let interlace = file.number(at: 28, count: 1)
        else { throw .damaged }
        self.width = width
        self.height = height
        pixelBytes = depth == 16 ? 8 : 4
        // Both sides are 32-bit numbers.
        let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
        guard !overflow, pixels < 1 << 56 else { throw .tooManyPixels }
        decoderMemory = interlace == 0 ? 0 : pixels * pixelBytes
        try Self.checkChunks(of: file)
    }

    /// acTL comes before the data (11.3.6.1). Each chunk has at least twelve bytes, so the loop ends with the file.
    private static func checkChunks(of file: PictureFile) throws(PictureVerdict) {
        var offset = 33
        while true {
            guard let length = file.number(at: offset, count: 4) else { throw .damaged }
            switch String(decoding: file.bytes(at: offset + 4, count: 4), as: UTF8.self) {
            case "acTL": throw .animated
            case "IDAT": return
            default: offset += 12 + length
            }
        }
    }
}
