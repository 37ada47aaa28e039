extension BSONValue {
    /// Copies an element's value out of the bytes of a validated document.
    init(_ element: BSONElement, in bytes: [UInt8]) {
        let value = element.value
        switch element.type {
        case BSONType.double: self = .double(Double(bitPattern: UInt64(bitPattern: bytes.int64(at: value.lowerBound))))
        case BSONType.string: self = .string(bytes.text(of: value))
        case BSONType.document: self = .document(BSONDocument(trusted: Array(bytes[value])))
        case BSONType.array:
            var values: [BSONValue] = []
            var elements = ElementIterator(bytes: bytes, document: value)
            while let next = elements.next() { values.append(BSONValue(next, in: bytes)) }
            self = .array(values)
        case BSONType.binary where bytes[value.lowerBound + 4] == 0:
            self = .binary(Array(bytes[(value.lowerBound + 5)..<value.upperBound]))
        case BSONType.objectID: self = .objectID(Array(bytes[value]))
        case BSONType.bool: self = .bool(bytes[value.lowerBound] != 0)
        case BSONType.date: self = .date(bytes.int64(at: value.lowerBound))
        case BSONType.null: self = .null
        case BSONType.int32: self = .int32(bytes.int32(at: value.lowerBound))
        case BSONType.int64: self = .int64(bytes.int64(at: value.lowerBound))
        default: self = .other(type: element.type, bytes: Array(bytes[value]))
        }
    }
}

extension [UInt8] {
    /// The text of a string value, without its length and terminator.
    func text(of value: Range<Int>) -> String {
        String(decoding: self[(value.lowerBound + 4)..<(value.upperBound - 1)], as: UTF8.self)
    }
}
