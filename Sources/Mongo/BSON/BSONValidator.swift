/// Checks that bytes are one well-formed document: every length fits its parent, every terminator is in place, and
/// every key and string is valid UTF-8. Validated bytes can then be read without errors.
struct BSONValidator {
    let bytes: [UInt8]

    /// - Throws: `BSONError.malformed` with the offset of the first error, or `BSONError.tooDeep`.
    func validateDocument(_ range: Range<Int>, depth: Int = 0) throws(BSONError) {
        guard depth < BSONDocument.maximumDepth else { throw .tooDeep }
        guard range.count >= 5, Int(bytes.int32(at: range.lowerBound)) == range.count, bytes[range.upperBound - 1] == 0
        else { throw .malformed(offset: range.lowerBound) }
        let limit = range.upperBound - 1
        var offset = range.lowerBound + 4
        while offset < limit {
            guard let element = BSONElement(in: bytes, at: offset, limit: limit), isUTF8(element.key)
            else { throw .malformed(offset: offset) }
            try validateValue(element.value, type: element.type, depth: depth)
            offset = element.value.upperBound
        }
    }

    private func validateValue(_ value: Range<Int>, type: UInt8, depth: Int) throws(BSONError) {
        switch type {
        case BSONType.string, BSONType.code, BSONType.symbol:
            try validateString(value)
        case BSONType.document, BSONType.array:
            try validateDocument(value, depth: depth + 1)
        case BSONType.bool:
            guard bytes[value.lowerBound] <= 1 else { throw .malformed(offset: value.lowerBound) }
        case BSONType.regularExpression:
            guard isUTF8(value) else { throw .malformed(offset: value.lowerBound) }
        case BSONType.databasePointer:
            try validateString(value.lowerBound..<(value.upperBound - 12))
        case BSONType.codeWithScope:
            try validateCodeWithScope(value, depth: depth)
        default:
            break
        }
    }

    /// `range` covers the length prefix, the text and the terminator. Only their total size has been checked so far.
    private func validateString(_ range: Range<Int>) throws(BSONError) {
        guard bytes[range.upperBound - 1] == 0, isUTF8((range.lowerBound + 4)..<(range.upperBound - 1))
        else { throw .malformed(offset: range.lowerBound) }
    }

    private func validateCodeWithScope(_ value: Range<Int>, depth: Int) throws(BSONError) {
        let text = value.lowerBound + 4
        let textLength = Int(bytes.int32(at: text))
        // Leaves room for the text's length prefix and an empty scope.
        guard textLength >= 1, textLength <= value.upperBound - text - 4 - 5 else { throw .malformed(offset: text) }
        let scope = text + 4 + textLength
        try validateString(text..<scope)
        try validateDocument(scope..<value.upperBound, depth: depth + 1)
    }

    private func isUTF8(_ range: Range<Int>) -> Bool {
        for offset in range where bytes[offset] >= 0x80 {
            return String(validating: bytes[offset..<range.upperBound], as: UTF8.self) != nil
        }
        return true
    }
}
