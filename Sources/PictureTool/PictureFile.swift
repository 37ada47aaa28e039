import Glibc
import PictureToolInterface

/// An open file with random access.
struct PictureFile {
    /// Passed to libvips; stays open until the process ends.
    let descriptor: Int32
    /// Bytes.
    let count: Int

    /// - Throws: `.noFile` unless it is a readable regular file.
    init(path: String) throws(PictureVerdict) {
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        var status = stat()
        guard descriptor >= 0, unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .noFile
        }
        count = status.st_size
    }

    /// Up to `count` bytes from `offset`; fewer at the end of the file, none beyond it.
    func bytes(at offset: Int, count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            unsafe initializedCount = max(0, pread(descriptor, buffer.baseAddress, count, offset))
        }
    }

    /// An unsigned big-endian number; `nil` if the file is too short.
    func number(at offset: Int, count: Int) -> Int? {
        let bytes = bytes(at: offset, count: count)
        return bytes.count == count ? bytes.reduce(0) { $0 << 8 | Int($1) } : nil
    }

    /// An unsigned little-endian number; `nil` if the file is too short.
    func littleEndianNumber(at offset: Int, count: Int) -> Int? {
        let bytes = bytes(at: offset, count: count)
        return bytes.count == count ? bytes.reversed().reduce(0) { $0 << 8 | Int($1) } : nil
    }
}
