import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension ByteBuffer {
    /// Offset of the first occurrence of `bytes` in the readable bytes; `nil` if there is none. Uses the C library's
    /// search for the first byte, since a picture has millions of bytes.
    func firstIndex(of bytes: [UInt8]) -> Int? {
        withUnsafeReadableBytes { haystack in
            guard let base = haystack.baseAddress, let first = bytes.first else { return nil }
            var index = 0
            while index + bytes.count <= haystack.count {
                let starts = haystack.count - bytes.count - index + 1
                guard let found = memchr(base + index, Int32(first), starts) else { return nil }
                if memcmp(found, bytes, bytes.count) == 0 { return UnsafeRawPointer(found) - base }
                index = UnsafeRawPointer(found) - base + 1
            }
            return nil
        }
    }
}
