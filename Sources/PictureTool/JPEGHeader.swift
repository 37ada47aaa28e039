import PictureToolInterface

/// The markers of a JPEG up to the first scan (ITU-T T.81, annex B).
struct JPEGHeader {
    /// Pixels.
    let width: Int
    /// Pixels.
    let height: Int
    /// Bytes. With one scan, a few rows; with several, as in progressive files, two bytes for each coefficient of the
    /// whole picture (libjpeg-turbo, jdcoefct.c).
    let decoderMemory: Int
    /// Bytes of a decoded pixel.
    let pixelBytes: Int

    private struct Frame {
        var width: Int
        var height: Int
        /// Blocks of 64 coefficients.
        var blocks: Int
        var components: Int
        var isProgressive: Bool
    }

    init(of file: PictureFile) throws(PictureVerdict) {
        var frame: Frame?
        var offset = 2
        // Each marker has at least four bytes, so the loop ends with the file.
        while true {
            guard let marker = file.number(at: offset, count: 2), marker > 0xff00 else { throw .damaged }
            // Fill bytes may precede a marker (B.1.1.2).
            if marker == 0xffff {
                offset += 1
                continue
            }
            guard let length = file.number(at: offset + 2, count: 2), length >= 2 else { throw .damaged }
            switch marker & 0xff {
            // Start of frame: Huffman-coded baseline, extended, progressive.
            case 0xc0, 0xc1, 0xc2:
                guard frame == nil else { throw .damaged }
                frame = try Self.frame(in: file, at: offset + 4, isProgressive: marker & 0xff == 0xc2)
            // Lossless, differential, arithmetic-coded.
            case 0xc3, 0xc5...0xc7, 0xc9...0xcb, 0xcd...0xcf:
                throw .otherKind
            case 0xda:
                guard let frame, let inScan = file.number(at: offset + 4, count: 1) else { throw .damaged }
                width = frame.width
                height = frame.height
                pixelBytes = frame.components
                let hasSeveralScans = frame.isProgressive || inScan < frame.components
                decoderMemory = hasSeveralScans ? frame.blocks * 128 : 0
                return
            // Another start marker, an end marker, or a marker without a length.
            case 0x01, 0xd0...0xd9:
                throw .damaged
            default:
                break
            }
            offset += 2 + length
        }
    }

    /// B.2.2: precision, height, width, number of components; for each its id and its sampling factors.
    private static func frame(
        in file: PictureFile, at offset: Int, isProgressive: Bool
    ) throws(PictureVerdict) -> Frame {
        let bytes = file.bytes(at: offset, count: 6)
        guard bytes.count == 6, 1...4 ~= bytes[5] else { throw .damaged }
        guard bytes[0] == 8 else { throw .otherKind }
        var frame = Frame(
            width: Int(bytes[3]) << 8 | Int(bytes[4]), height: Int(bytes[1]) << 8 | Int(bytes[2]), blocks: 0,
            components: Int(bytes[5]), isProgressive: isProgressive)
        let parts = file.bytes(at: offset + 6, count: 3 * frame.components)
        guard parts.count == 3 * frame.components else { throw .damaged }
        let factors = (0..<frame.components).map {
            (across: Int(parts[3 * $0 + 1] >> 4), down: Int(parts[3 * $0 + 1] & 15))
        }
        let (across, down) = (factors.map(\.across).max() ?? 0, factors.map(\.down).max() ?? 0)
        guard factors.allSatisfy({ 1...4 ~= $0.across && 1...4 ~= $0.down }) else { throw .damaged }
        // Whole units of all components (A.2.3); the last ones are padded.
        let units = ((frame.width + 8 * across - 1) / (8 * across)) * ((frame.height + 8 * down - 1) / (8 * down))
        frame.blocks = units * factors.reduce(0) { $0 + $1.across * $1.down }
        return frame
    }
}
