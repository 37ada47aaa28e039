package import Foundation

/// One BSON value. A type without a case here is decoded as `other` and can be written back unchanged.
package indirect enum BSONValue: Sendable, Hashable {
    /// A 64-bit floating-point number.
    case double(Double)
    /// Text, which may contain zero characters.
    case string(String)
    /// A nested document.
    case document(BSONDocument)
    /// Values in order.
    case array([BSONValue])
    /// Bytes of subtype 0; other subtypes are `other`.
    case binary([UInt8])
    /// Twelve bytes.
    case objectID([UInt8])
    /// True or false.
    case bool(Bool)
    /// Milliseconds since 1970-01-01T00:00:00Z.
    case date(Int64)
    /// The null value, as distinct from a missing field.
    case null
    /// A 32-bit number.
    case int32(Int32)
    /// A 64-bit number.
    case int64(Int64)
    /// A type byte and the value's bytes, laid out as in the specification.
    case other(type: UInt8, bytes: [UInt8])

    /// A point in time, rounded to the millisecond. Dates outside the 64-bit range are clamped.
    package static func date(_ date: Date) -> BSONValue {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        if let exact = Int64(exactly: milliseconds) { return .date(exact) }
        return .date(milliseconds < 0 ? .min : .max)
    }
}

extension BSONValue {
    /// The text of a string, or nil for any other type.
    package var stringValue: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The value of an `int32`, `int64` or `double` if it is a whole number that fits; otherwise nil.
    package var intValue: Int? {
        switch self {
        case .int32(let number): Int(number)
        case .int64(let number): Int(exactly: number)
        case .double(let number): Int(exactly: number)
        default: nil
        }
    }

    /// The value of any of the three number types, otherwise nil. A large `int64` is rounded.
    package var doubleValue: Double? {
        switch self {
        case .double(let number): number
        case .int32(let number): Double(number)
        case .int64(let number): Double(number)
        default: nil
        }
    }

    /// The value of a bool, or nil for any other type, numbers included.
    package var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The bytes of a binary value of subtype 0, otherwise nil.
    package var binaryValue: [UInt8]? {
        if case .binary(let bytes) = self { bytes } else { nil }
    }

    /// The point in time of a date, or nil for any other type.
    package var dateValue: Date? {
        if case .date(let milliseconds) = self { Date(bsonMilliseconds: milliseconds) } else { nil }
    }

    /// The nested document, or nil for any other type.
    package var documentValue: BSONDocument? {
        if case .document(let document) = self { document } else { nil }
    }

    /// The elements of an array, or nil for any other type.
    package var arrayValue: [BSONValue]? {
        if case .array(let values) = self { values } else { nil }
    }
}

extension Date {
    /// The point in time of a BSON date.
    init(bsonMilliseconds milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}
