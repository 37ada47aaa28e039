import CMongoC

/// What the C library needs once per process before anything else.
enum CDriver {
    /// Initialised by the first client. The log is silenced first: the library writes a warning per aborted
    /// transaction, and what matters arrives as an error. `mongoc_cleanup` is never called, since other clients may be
    /// alive.
    static let ready: Void = {
        cmongoc_silence_log()
        mongoc_init()
    }()
}

/// Lends memory for a reply that C fills, and releases what C put there.
///
/// `bson_t` is 128 bytes at an alignment of 128 (bson-types.h, libbson 1.23). Not `bson_new`: the callee initialises
/// replies anew, and the first allocation would leak.
func withReply<Result>(_ body: (OpaquePointer) throws -> Result) rethrows -> Result {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 128, alignment: 128)
    let reply = OpaquePointer(memory)
    unsafe bson_init(reply)
    defer {
        unsafe bson_destroy(reply)
        unsafe memory.deallocate()
    }
    return try unsafe body(reply)
}

extension BSONDocument {
    /// Copies a document of C's, checking all of it.
    ///
    /// - Throws: `MongoError` of kind `decoding`.
    init(copying document: OpaquePointer) throws {
        guard let start = unsafe bson_get_data(document) else { throw MongoError(.decoding, "A document without data") }
        let length = unsafe Int(cmongoc_bson_length(document))
        let bytes = unsafe [UInt8](UnsafeBufferPointer(start: start, count: length))
        do {
            try self.init(bytes: bytes)
        } catch {
            throw MongoError(.decoding, "The server sent a malformed document: \(error)")
        }
    }

    /// Lends a heap copy to C. It may be appended to; it is gone after the closure.
    ///
    /// - Throws: `MongoError` of kind `invalidArgument` if C takes it for malformed.
    @discardableResult
    func withBSON<Result>(_ body: (OpaquePointer) throws -> Result) throws -> Result {
        let copy = unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe bson_new_from_data(buffer.baseAddress, buffer.count)
        }
        guard let document = unsafe copy else { throw MongoError(.invalidArgument, "The driver refuses a document") }
        defer { unsafe bson_destroy(document) }
        return try unsafe body(document)
    }
}

extension BSONDocument? {
    /// Lends a heap copy, or NULL.
    @discardableResult
    func withBSON<Result>(_ body: (OpaquePointer?) throws -> Result) throws -> Result {
        guard let document = self else { return try body(nil) }
        return try unsafe document.withBSON { pointer in try unsafe body(pointer) }
    }
}
