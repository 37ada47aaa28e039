/// The location of one element in a document's bytes. Every offset is checked against the bytes on creation.
struct BSONElement {
    let type: UInt8
    /// The key without its terminator.
    let key: Range<Int>
    let value: Range<Int>

    /// Reads the element at `offset`. Returns nil if it is malformed or extends past `limit`.
    ///
    /// Checks this element only; `BSONValidator` checks nested documents.
    init?(in bytes: [UInt8], at offset: Int, limit: Int) {
        guard offset >= 0, offset < limit, limit <= bytes.count else { return nil }
        let keyStart = offset + 1
        guard let keyEnd = bytes.terminator(from: keyStart, limit: limit) else { return nil }
        let valueStart = keyEnd + 1
        guard let size = Self.size(ofType: bytes[offset], in: bytes, at: valueStart, limit: limit),
            size <= limit - valueStart
        else { return nil }
        type = bytes[offset]
        key = keyStart..<keyEnd
        value = valueStart..<(valueStart + size)
    }

    /// An element without a key, for a whole document.
    init(document: Range<Int>) {
        type = BSONType.document
        key = document.lowerBound..<document.lowerBound
        value = document
    }

    /// Size in bytes of a value of this type; nil if the type is unknown, or the length is negative or truncated. The
    /// size may exceed the limit: the caller must compare.
    static func size(ofType type: UInt8, in bytes: [UInt8], at start: Int, limit: Int) -> Int? {
        switch type {
        case BSONType.null, BSONType.undefined, BSONType.minKey, BSONType.maxKey: return 0
        case BSONType.bool: return 1
        case BSONType.int32: return 4
        case BSONType.double, BSONType.date, BSONType.timestamp, BSONType.int64: return 8
        case BSONType.objectID: return 12
        case BSONType.decimal128: return 16
        case BSONType.regularExpression:
            guard let pattern = bytes.terminator(from: start, limit: limit),
                let flags = bytes.terminator(from: pattern + 1, limit: limit)
            else { return nil }
            return flags + 1 - start
        default: break
        }
        guard limit - start >= 4 else { return nil }
        let length = Int(bytes.int32(at: start))
        switch type {
        case BSONType.string, BSONType.code, BSONType.symbol: return length >= 1 ? 4 + length : nil
        case BSONType.document, BSONType.array: return length >= 5 ? length : nil
        case BSONType.binary: return length >= 0 ? 5 + length : nil
        case BSONType.databasePointer: return length >= 1 ? 4 + length + 12 : nil
        case BSONType.codeWithScope: return length >= 14 ? length : nil
        default: return nil
        }
    }
}

extension [UInt8] {
    /// Offset of the first zero byte in `start..<limit`.
    func terminator(from start: Int, limit: Int) -> Int? {
        var offset = start
        while offset < limit {
            if self[offset] == 0 { return offset }
            offset += 1
        }
        return nil
    }

    /// The little-endian number at `offset`, which must be at least 4 bytes before the end.
    func int32(at offset: Int) -> Int32 {
        var number: UInt32 = 0
        for index in 0..<4 { number |= UInt32(self[offset + index]) << (8 * UInt32(index)) }
        return Int32(bitPattern: number)
    }

    /// The little-endian number at `offset`, which must be at least 8 bytes before the end.
    func int64(at offset: Int) -> Int64 {
        var number: UInt64 = 0
        for index in 0..<8 { number |= UInt64(self[offset + index]) << (8 * UInt64(index)) }
        return Int64(bitPattern: number)
    }
}
