import Ports

/// The file format of an object: a first line of fixed length, then the object's bytes.
///
/// The line contains the media type. An extended attribute would look nicer, but copies and backups lose those.
enum ObjectFile {
    /// Bytes of the first line, including its line break: `happiness-object 1 image/webp`, padded with spaces. Fixed,
    /// so that the object's length follows from the file's.
    static let headLength = 128

    private static let magic = "happiness-object 1 "

    /// - Throws: `ObjectStoreError.misconfigured` if the media type does not fit into the line.
    static func encode(_ object: StoredObject) throws(ObjectStoreError) -> [UInt8] {
        let type = Array(object.mediaType.utf8)
        let room = headLength - magic.utf8.count - 1
        guard (1...room).contains(type.count), type.allSatisfy({ (0x20...0x7e).contains($0) }) else {
            throw .misconfigured("An object's media type is not one")
        }
        let filling = [UInt8](repeating: UInt8(ascii: " "), count: room - type.count)
        return Array(magic.utf8) + type + filling + [UInt8(ascii: "\n")] + object.bytes
    }

    /// - Throws: `ObjectStoreError.misconfigured` if the file was not created by `encode`.
    static func decode(_ file: [UInt8]) throws(ObjectStoreError) -> StoredObject {
        guard file.count >= headLength, file.starts(with: magic.utf8), file[headLength - 1] == UInt8(ascii: "\n") else {
            throw .misconfigured("The folder of objects has a file that is none of ours")
        }
        let type = file[magic.utf8.count..<(headLength - 1)]
        let end = type.lastIndex { $0 != UInt8(ascii: " ") }.map { $0 + 1 } ?? type.startIndex
        return StoredObject(mediaType: String(decoding: type[..<end], as: UTF8.self), bytes: Array(file[headLength...]))
    }
}
