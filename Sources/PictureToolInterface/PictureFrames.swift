/// The format of several pictures on a pipe: each is preceded by its length in bytes, 32 bits, big-endian.
package enum PictureFrames {
    /// The bytes before a picture.
    package static func header(count: Int) -> [UInt8] {
        let length = UInt32(truncatingIfNeeded: count)
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) }
    }

    /// Splits the output into pictures; `nil` if one is incomplete or empty.
    package static func split(_ bytes: [UInt8]) -> [[UInt8]]? {
        var pictures: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            guard rest.count > 4 else { return nil }
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            guard length > 0, length <= rest.count else { return nil }
            pictures.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return pictures
    }
}
