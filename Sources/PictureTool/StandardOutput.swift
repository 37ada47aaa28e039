import Glibc
import PictureToolInterface

/// Writes pictures to standard output.
enum StandardOutput {
    /// Writes a picture, preceded by its length.
    static func writeFrame(_ picture: [UInt8]) throws(PictureVerdict) {
        try write(PictureFrames.header(count: picture.count))
        try write(picture)
    }

    /// Writes all bytes; blocks while a pipe is full.
    static func write(_ bytes: [UInt8]) throws(PictureVerdict) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 else { throw .systemFault }
            rest = rest.dropFirst(count)
        }
    }
}
