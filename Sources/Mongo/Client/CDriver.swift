import CMongoC

/// Initialises the C library once per process, before any other call.
enum CDriver {
    /// Initialised by the first client. Logging is disabled first: the library writes a warning for each aborted
    /// transaction, and we get everything that matters as an error. `mongoc_cleanup` is never called because other
    /// clients may still exist.
    static let ready: Void = {
        cmongoc_silence_log()
        mongoc_init()
    }()
}

/// Lends memory for a reply that C fills, then frees what C put there.
///
/// `bson_t` is 128 bytes with an alignment of 128 (bson-types.h, libbson 1.23). `bson_new` does not fit: the callee
/// initialises the reply again, which would leak the first allocation.
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
    /// Copies and validates a document owned by C.
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

    /// Lends a heap copy to C, which may append to it. The copy is freed after the closure.
    ///
    /// - Throws: `MongoError` of kind `invalidArgument` if libbson considers it malformed.
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
    /// Lends a heap copy, or NULL for nil.
    @discardableResult
    func withBSON<Result>(_ body: (OpaquePointer?) throws -> Result) throws -> Result {
        guard let document = self else { return try body(nil) }
        return try unsafe document.withBSON { pointer in try unsafe body(pointer) }
    }
}
