/// The parts of a picture file, for tests that check all of its content.
enum PictureParts {
    struct Malformed: Error {}

    /// The codes of all markers, in order; throws if anything follows the last one.
    static func ofJPEG(_ bytes: [UInt8]) throws -> [UInt8] {
        guard bytes.starts(with: [0xff, 0xd8]) else { throw Malformed() }
        var codes: [UInt8] = [0xd8]
        var offset = 2
        while offset + 1 < bytes.count {
            guard bytes[offset] == 0xff else { throw Malformed() }
            let code = bytes[offset + 1]
            codes.append(code)
            if code == 0xd9 {
                guard offset + 2 == bytes.count else { throw Malformed() }
                return codes
            }
            guard offset + 3 < bytes.count else { throw Malformed() }
            offset += 2 + (Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3]))
            guard code == 0xda else { continue }
            // Compressed data: up to the next marker that is neither a stuffed zero nor a restart.
            while offset + 1 < bytes.count {
                if bytes[offset] == 0xff, bytes[offset + 1] != 0, !(0xd0...0xd7).contains(bytes[offset + 1]) { break }
                offset += 1
            }
        }
        throw Malformed()
    }

    /// The names of all chunks, in order; throws if anything follows the last one.
    static func ofWebP(_ bytes: [UInt8]) throws -> [String] {
        guard bytes.count > 20, bytes.starts(with: "RIFF".utf8), number(bytes, at: 4) + 8 == bytes.count else {
            throw Malformed()
        }
        var names: [String] = []
        var offset = 12
        while offset + 8 <= bytes.count {
            names.append(String(decoding: bytes[offset..<(offset + 4)], as: UTF8.self))
            let length = number(bytes, at: offset + 4)
            offset += 8 + length + length % 2
        }
        guard offset == bytes.count else { throw Malformed() }
        return names
    }

    private static func number(_ bytes: [UInt8], at offset: Int) -> Int {
        (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
}
