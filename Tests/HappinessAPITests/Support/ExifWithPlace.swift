/// Location and time as a phone writes them into a JPEG (Exif 2.32, §4.5 and §4.6).
enum ExifWithPlace {
    /// An APP1 segment to insert after the start of the picture.
    static let segment: [UInt8] = {
        let content = Array("Exif\0\0".utf8) + directories + camera + time + north
        let length = content.count + 2
        return [0xff, 0xe1, UInt8(length >> 8), UInt8(length & 0xff)] + content
    }()

    /// Byte sequences that occur nowhere else.
    static let traces = [camera, time, north, Array("Exif".utf8)]

    private static let camera = Array("Phone of Anna\0\0\0".utf8)
    private static let time = Array("2026:05:04 03:02:01\0".utf8)
    /// 48 degrees, 12 minutes, 29.52 seconds.
    private static let north = [48, 1, 12, 1, 2_952, 100].flatMap { littleEndian($0, bytes: 4) }

    /// A TIFF header, its directory with model, time and a pointer, and the directory of the location to which it
    /// points.
    private static let directories: [UInt8] = {
        let placeStart = 8 + 2 + 3 * 12 + 4
        let valueStart = placeStart + 2 + 2 * 12 + 4
        return Array("II*\0".utf8) + littleEndian(8, bytes: 4)
            + directory([
                entry(0x0110, type: 2, count: camera.count, value: valueStart),
                entry(0x0132, type: 2, count: time.count, value: valueStart + camera.count),
                entry(0x8825, type: 4, count: 1, value: placeStart),
            ])
            + directory([
                entry(1, type: 2, count: 2, value: Int(UInt8(ascii: "N"))),
                entry(2, type: 5, count: 3, value: valueStart + camera.count + time.count),
            ])
    }()

    private static func directory(_ entries: [[UInt8]]) -> [UInt8] {
        littleEndian(entries.count, bytes: 2) + entries.flatMap { $0 } + [0, 0, 0, 0]
    }

    private static func entry(_ tag: Int, type: Int, count: Int, value: Int) -> [UInt8] {
        littleEndian(tag, bytes: 2) + littleEndian(type, bytes: 2) + littleEndian(count, bytes: 4)
            + littleEndian(value, bytes: 4)
    }

    private static func littleEndian(_ number: Int, bytes: Int) -> [UInt8] {
        (0..<bytes).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
