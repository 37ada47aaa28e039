import PictureToolInterface

/// The first chunks of a WebP (RFC 9649, section 2).
struct WebPHeader {
    /// Pixels.
    let width: Int
    /// Pixels.
    let height: Int
    /// Bytes: libwebp holds a lossless picture completely, and the alpha channel of a lossy one.
    let decoderMemory: Int

    /// - Throws: `.animated`, `.damaged`.
    init(of file: PictureFile) throws(PictureVerdict) {
        guard let riff = file.littleEndianNumber(at: 4, count: 4) else { throw .damaged }
        // libvips' decoder ignores a missing end.
        guard riff + 8 <= file.count else { throw .damaged }
        switch Self.chunk(in: file, at: 12) {
        case "VP8 ":
            (width, height) = try Self.lossySize(in: file, at: 20)
            decoderMemory = 0
        case "VP8L":
            (width, height) = try Self.losslessSize(in: file, at: 20)
            decoderMemory = Self.losslessMemory(width, height)
        case "VP8X":
            // 2.7.1: flags, three reserved bytes, width and height minus one.
            guard let flags = file.number(at: 20, count: 1),
                let width = file.littleEndianNumber(at: 24, count: 3),
                let height = file.littleEndianNumber(at: 27, count: 3)
            else { throw .damaged }
            guard flags & 0x02 == 0 else { throw .animated }
            self.width = width + 1
            self.height = height + 1
            decoderMemory = try Self.memory(of: file, end: riff + 8, width: width + 1, height: height + 1)
        default:
            throw .damaged
        }
    }

    private static func chunk(in file: PictureFile, at offset: Int) -> String {
        String(decoding: file.bytes(at: offset, count: 4), as: UTF8.self)
    }

    /// RFC 6386, section 9.1: three bytes, a start code, then width and height with 14 bits each and two bits of scale
    /// each.
    private static func lossySize(in file: PictureFile, at offset: Int) throws(PictureVerdict) -> (Int, Int) {
        guard let width = file.littleEndianNumber(at: offset + 6, count: 2),
            let height = file.littleEndianNumber(at: offset + 8, count: 2)
        else { throw .damaged }
        return (width & 0x3fff, height & 0x3fff)
    }

    /// RFC 9649, section 3.4: a signature byte, then width and height minus one with 14 bits each.
    private static func losslessSize(in file: PictureFile, at offset: Int) throws(PictureVerdict) -> (Int, Int) {
        guard let bits = file.littleEndianNumber(at: offset + 1, count: 4) else { throw .damaged }
        return (bits & 0x3fff + 1, bits >> 14 & 0x3fff + 1)
    }

    /// Searches for the picture's own chunk. Each chunk has at least eight bytes, so the loop ends with the file.
    private static func memory(of file: PictureFile, end: Int, width: Int, height: Int) throws(PictureVerdict) -> Int {
        var offset = 30
        while offset < end {
            guard let length = file.littleEndianNumber(at: offset + 4, count: 4) else { throw .damaged }
            switch chunk(in: file, at: offset) {
            case "VP8L":
                guard try losslessSize(in: file, at: offset + 8) == (width, height) else { throw .damaged }
                return losslessMemory(width, height)
            case "VP8 ":
                guard try lossySize(in: file, at: offset + 8) == (width, height) else { throw .damaged }
                // An alpha plane, decoded as a lossless picture of bytes (2.7.1.2).
                return 3 * width * height
            case "ANMF", "ANIM":
                throw .animated
            default:
                // Chunks have even lengths (2.3).
                offset += 8 + length + length % 2
            }
        }
        throw .damaged
    }

    private static func losslessMemory(_ width: Int, _ height: Int) -> Int { 4 * width * height }
}
