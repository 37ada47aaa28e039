/// Builds a document's bytes: elements are appended first, lengths are patched afterwards.
extension [UInt8] {
    /// Appends type, key and value.
    ///
    /// - Precondition: the key contains no zero character, an object id has 12 bytes, and the bytes of `other` follow
    ///   the specification.
    mutating func appendElement(key: String, _ value: BSONValue) {
        appendHeader(type: value.typeByte, key: key)
        appendPayload(value)
    }

    mutating func appendHeader(type: UInt8, key: String) {
        append(type)
        precondition(!key.utf8.contains(0), "A BSON key cannot hold a zero character")
        append(contentsOf: key.utf8)
        append(0)
    }

    /// Appends the value without its type and key.
    mutating func appendPayload(_ value: BSONValue) {
        switch value {
        case .double(let number): appendInteger(number.bitPattern)
        case .string(let text):
            appendInteger(UInt32(text.utf8.count + 1))
            append(contentsOf: text.utf8)
            append(0)
        case .document(let document): append(contentsOf: document.bytes)
        case .array(let values):
            let start = count
            appendInteger(UInt32(0))
            for (index, value) in values.enumerated() { appendElement(key: String(index), value) }
            append(0)
            patchLength(at: start)
        case .binary(let bytes):
            appendInteger(UInt32(bytes.count))
            append(0)
            append(contentsOf: bytes)
        case .objectID(let bytes):
            precondition(bytes.count == 12, "An object id has 12 bytes")
            append(contentsOf: bytes)
        case .bool(let value): append(value ? 1 : 0)
        case .date(let milliseconds): appendInteger(UInt64(bitPattern: milliseconds))
        case .null: break
        case .int32(let number): appendInteger(UInt32(bitPattern: number))
        case .int64(let number): appendInteger(UInt64(bitPattern: number))
        case .other(let type, let bytes):
            precondition(BSONValidator.isValue(bytes, ofType: type), "Not a BSON value of type \(type)")
            append(contentsOf: bytes)
        }
    }

    /// Appends a number in little-endian order.
    mutating func appendInteger<Number: FixedWidthInteger>(_ number: Number) {
        var rest = number.littleEndian
        unsafe Swift.withUnsafeBytes(of: &rest) { bytes in unsafe append(contentsOf: bytes) }
    }

    /// Writes the number of bytes from `start` to the end into the four bytes at `start`.
    mutating func patchLength(at start: Int) {
        let length = UInt32(count - start)
        for index in 0..<4 { self[start + index] = UInt8(truncatingIfNeeded: length >> (8 * UInt32(index))) }
    }
}

extension BSONValue {
    /// The type byte from the specification.
    var typeByte: UInt8 {
        switch self {
        case .double: BSONType.double
        case .string: BSONType.string
        case .document: BSONType.document
        case .array: BSONType.array
        case .binary: BSONType.binary
        case .objectID: BSONType.objectID
        case .bool: BSONType.bool
        case .date: BSONType.date
        case .null: BSONType.null
        case .int32: BSONType.int32
        case .int64: BSONType.int64
        case .other(let type, _): type
        }
    }
}

extension BSONValidator {
    /// Whether these bytes alone are one well-formed value of this type.
    static func isValue(_ bytes: [UInt8], ofType type: UInt8) -> Bool {
        var document: [UInt8] = [0, 0, 0, 0, type, 0]
        document.append(contentsOf: bytes)
        document.append(0)
        document.patchLength(at: 0)
        guard let element = BSONElement(in: document, at: 4, limit: document.count - 1),
            element.value.upperBound == document.count - 1
        else { return false }
        do {
            try BSONValidator(bytes: document).validateDocument(0..<document.count)
            return true
        } catch {
            return false
        }
    }
}
