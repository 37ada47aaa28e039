/// Encodes a value as its text, so that JSON, BSON and SQL all contain `2026/3` instead of an object with its parts.
extension Decoder {
    /// Reads one string and parses it.
    /// - Throws: `DecodingError.dataCorrupted` if `Value` cannot parse the text.
    func decodeText<Value: LosslessStringConvertible>(as type: Value.Type) throws -> Value {
        let container = try singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = Value(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "Not a valid \(type).")
        }
        return value
    }
}

extension Encoder {
    /// Writes the value's `description` as one string.
    func encodeText<Value: LosslessStringConvertible>(_ value: Value) throws {
        var container = singleValueContainer()
        try container.encode(value.description)
    }
}
