/// How several pictures follow each other on a pipe: each after its length in bytes, 32 bits, most significant first.
public enum PictureFrames {
    /// What goes before a picture.
    public static func header(count: Int) -> [UInt8] {
        let length = UInt32(truncatingIfNeeded: count)
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) }
    }

    /// Takes the pictures apart; `nil` for anything but whole pictures, none of them empty.
    public static func split(_ bytes: [UInt8]) -> [[UInt8]]? {
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
