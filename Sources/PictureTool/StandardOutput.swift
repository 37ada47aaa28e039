import Glibc
import PictureToolInterface

/// Where pictures go.
enum StandardOutput {
    /// Writes a picture after its length.
    static func writeFrame(_ picture: [UInt8]) throws(PictureVerdict) {
        try write(PictureFrames.header(count: picture.count))
        try write(picture)
    }

    /// Writes all bytes; a pipe takes them as fast as they are read at the other end.
    static func write(_ bytes: [UInt8]) throws(PictureVerdict) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 else { throw .systemFault }
            rest = rest.dropFirst(count)
        }
    }
}
