import Foundation

/// Encodes `Encodable` values as documents.
///
/// - `Date` becomes a BSON date (milliseconds). `[UInt8]` and `Data` become binary of subtype 0. `BSONValue` and
///   `BSONDocument` are copied. `Int`, `Int64`, `UInt32` and, if they fit, `UInt` and `UInt64` become `int64`; narrower
///   integers become `int32`; `Float` becomes a double.
/// - A nil property is omitted, because the compiler uses `encodeIfPresent` for `Optional`. Nil inside an array, or
///   encoded explicitly, becomes null. The decoder reads both as nil.
/// - Containers opened by hand with `nestedContainer` or `superEncoder` follow their parent's other fields.
public struct BSONEncoder: Sendable {
    /// An encoder; it has no settings and may be reused.
    public init() {}

    /// - Throws: `EncodingError` if the value is not a document, a number does not fit or a key contains a zero
    ///   character.
    public func encode<Value: Encodable>(_ value: Value) throws -> BSONDocument {
        if let document = value as? BSONDocument { return document }
        let frame = EncodingFrame()
        try value.encode(to: FrameEncoder(frame: frame, codingPath: []))
        guard case .document(let document) = try frame.finish() else {
            let context = EncodingError.Context(codingPath: [], debugDescription: "Not a document at the top level")
            throw EncodingError.invalidValue(value, context)
        }
        return document
    }
}

/// The BSON value of types that map directly to a BSON type; nil for all others.
///
/// Compares types before casting: inside a specialised caller the compiler resolves both.
@inline(__always)
func directBSON<Value>(_ value: Value, path: @autoclosure () -> [any CodingKey]) throws -> BSONValue? {
    if let text = same(value, String.self) { return .string(text) }
    if let number = same(value, Int.self) { return .int64(Int64(number)) }
    if let bool = same(value, Bool.self) { return .bool(bool) }
    if let number = same(value, Double.self) { return .double(number) }
    if let date = same(value, Date.self) { return .date(date) }
    if let bytes = same(value, [UInt8].self) { return .binary(bytes) }
    if let data = same(value, Data.self) { return .binary(Array(data)) }
    if let value = same(value, BSONValue.self) { return value }
    if let document = same(value, BSONDocument.self) { return .document(document) }
    if let number = same(value, Int64.self) { return .int64(number) }
    if let number = same(value, Int32.self) { return .int32(number) }
    if let number = same(value, Int16.self) { return .int32(Int32(number)) }
    if let number = same(value, Int8.self) { return .int32(Int32(number)) }
    if let number = same(value, UInt8.self) { return .int32(Int32(number)) }
    if let number = same(value, UInt16.self) { return .int32(Int32(number)) }
    if let number = same(value, UInt32.self) { return .int64(Int64(number)) }
    if let number = same(value, UInt.self) ?? same(value, UInt64.self).map(UInt.init) {
        guard let fitting = Int64(exactly: number) else {
            let reason = "Does not fit into 64 signed bits"
            let context = EncodingError.Context(codingPath: path(), debugDescription: reason)
            throw EncodingError.invalidValue(number, context)
        }
        return .int64(fitting)
    }
    if let number = same(value, Float.self) { return .double(Double(number)) }
    return nil
}

@inline(__always)
func same<Value, Wanted>(_ value: Value, _ type: Wanted.Type) -> Wanted? {
    Value.self == Wanted.self ? value as? Wanted : nil
}
