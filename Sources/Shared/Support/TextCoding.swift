/// Coding of a value as its own text, so that JSON, BSON and SQL all show `2026/3` and not an object of its parts.
extension Decoder {
    /// Reads one string and parses it.
    /// - Throws: `DecodingError.dataCorrupted` when the text is not one that `Value` prints.
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
