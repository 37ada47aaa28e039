import CZlib

/// Compression of files that are the same for everyone.
///
/// Pages and answers are not compressed: their length would reveal which parts of a secret and of an attacker's text are
/// equal (the BREACH attack).
enum Gzip {
    /// The bytes in the gzip format (RFC 1952), as small as zlib can make them; `nil` if they would not become smaller.
    static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        // 15: the largest window; plus 16: gzip instead of zlib's own format (zlib manual, `deflateInit2`).
        let size = Int32(MemoryLayout<z_stream>.size)
        guard
            deflateInit2_(
                &stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
                == Z_OK
        else { return nil }
        defer { deflateEnd(&stream) }
        var input = bytes
        let compressed = input.withUnsafeMutableBufferPointer { source in
            [UInt8](unsafeUninitializedCapacity: source.count) { target, count in
                stream.next_in = source.baseAddress
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(target.count)
                // The end is not reached if there is no room for more bytes than the input has.
                count = deflate(&stream, Z_FINISH) == Z_STREAM_END ? Int(stream.total_out) : 0
            }
        }
        return compressed.isEmpty ? nil : compressed
    }
}
