import Foundation

/// Decodes documents into `Decodable` values: the reverse of `BSONEncoder`.
///
/// Any BSON number decodes into any number type that can represent it exactly (`Double` and `Float` may round). Unknown
/// fields are ignored; a missing field and null both decode to nil for an optional property. Strings are never
/// converted to numbers, or numbers to strings.
public struct BSONDecoder: Sendable {
    /// A decoder; it has no settings and may be reused.
    public init() {}

    /// - Throws: `DecodingError` naming the field by its coding path.
    public func decode<Value: Decodable>(_ type: Value.Type, from document: BSONDocument) throws -> Value {
        if let same = document as? Value { return same }
        let element = BSONElement(document: 0..<document.bytes.count)
        return try Value(from: ElementDecoder(bytes: document.bytes, element: element, codingPath: []))
    }
}

/// Presents one element as a `Decoder`.
struct ElementDecoder: Decoder {
    let bytes: [UInt8]
    let element: BSONElement
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard element.type == BSONType.document else { throw mismatch([String: Any].self) }
        return KeyedDecodingContainer(ElementKeyedContainer<Key>(self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard element.type == BSONType.array else { throw mismatch([Any].self) }
        return ElementUnkeyedContainer(self)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { ElementSingleContainer(decoder: self) }

    func mismatch(_ type: Any.Type) -> DecodingError {
        let context = DecodingError.Context(codingPath: codingPath, debugDescription: "BSON type \(element.type)")
        return element.type == BSONType.null ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }
}

extension ElementDecoder {
    /// Decodes the element. Compares types before casting; see `directBSON`.
    @inline(__always)
    static func decode<Value: Decodable>(
        _ type: Value.Type, _ element: BSONElement, in bytes: [UInt8], path: @autoclosure () -> [any CodingKey]
    ) throws -> Value {
        func decoder() -> ElementDecoder { ElementDecoder(bytes: bytes, element: element, codingPath: path()) }
        func checked<Found>(_ found: Found?) throws -> Value {
            guard let value = found as? Value else { throw decoder().mismatch(type) }
            return value
        }
        let start = element.value.lowerBound
        if type == String.self {
            return try checked(element.type == BSONType.string ? bytes.text(of: element.value) : nil)
        }
        if type == Int.self { return try checked(number(element, in: bytes, as: Int.self)) }
        if type == Bool.self { return try checked(element.type == BSONType.bool ? bytes[start] != 0 : nil) }
        if type == Double.self { return try checked(floating(element, in: bytes)) }
        if type == Date.self {
            guard element.type == BSONType.date else { throw decoder().mismatch(type) }
            return try checked(Date(bsonMilliseconds: bytes.int64(at: start)))
        }
        if type == [UInt8].self, element.type == BSONType.binary {
            return try checked(BSONValue(element, in: bytes).binaryValue)
        }
        if type == Data.self { return try checked(BSONValue(element, in: bytes).binaryValue.map { Data($0) }) }
        if type == BSONValue.self { return try checked(BSONValue(element, in: bytes)) }
        if type == BSONDocument.self { return try checked(BSONValue(element, in: bytes).documentValue) }
        if type == Int64.self { return try checked(number(element, in: bytes, as: Int64.self)) }
        if type == Int32.self { return try checked(number(element, in: bytes, as: Int32.self)) }
        if type == Int16.self { return try checked(number(element, in: bytes, as: Int16.self)) }
        if type == Int8.self { return try checked(number(element, in: bytes, as: Int8.self)) }
        if type == UInt.self { return try checked(number(element, in: bytes, as: UInt.self)) }
        if type == UInt64.self { return try checked(number(element, in: bytes, as: UInt64.self)) }
        if type == UInt32.self { return try checked(number(element, in: bytes, as: UInt32.self)) }
        if type == UInt16.self { return try checked(number(element, in: bytes, as: UInt16.self)) }
        if type == UInt8.self { return try checked(number(element, in: bytes, as: UInt8.self)) }
        if type == Float.self { return try checked(floating(element, in: bytes).map { Float($0) }) }
        return try Value(from: decoder())
    }

    private static func number<Number: FixedWidthInteger>(
        _ element: BSONElement, in bytes: [UInt8], as type: Number.Type
    ) -> Number? {
        let start = element.value.lowerBound
        switch element.type {
        case BSONType.int64: return Number(exactly: bytes.int64(at: start))
        case BSONType.int32: return Number(exactly: bytes.int32(at: start))
        case BSONType.double: return Number(exactly: Double(bitPattern: UInt64(bitPattern: bytes.int64(at: start))))
        default: return nil
        }
    }

    private static func floating(_ element: BSONElement, in bytes: [UInt8]) -> Double? {
        let start = element.value.lowerBound
        switch element.type {
        case BSONType.double: return Double(bitPattern: UInt64(bitPattern: bytes.int64(at: start)))
        case BSONType.int64: return Double(bytes.int64(at: start))
        case BSONType.int32: return Double(bytes.int32(at: start))
        default: return nil
        }
    }
}
