/// The type bytes of the BSON specification 1.1 (https://bsonspec.org/spec.html) that either have a case of their own
/// in `BSONValue` or a payload whose size must be known.
enum BSONType {
    static let double: UInt8 = 0x01
    static let string: UInt8 = 0x02
    static let document: UInt8 = 0x03
    static let array: UInt8 = 0x04
    static let binary: UInt8 = 0x05
    static let undefined: UInt8 = 0x06
    static let objectID: UInt8 = 0x07
    static let bool: UInt8 = 0x08
    static let date: UInt8 = 0x09
    static let null: UInt8 = 0x0A
    static let regularExpression: UInt8 = 0x0B
    static let databasePointer: UInt8 = 0x0C
    static let code: UInt8 = 0x0D
    static let symbol: UInt8 = 0x0E
    static let codeWithScope: UInt8 = 0x0F
    static let int32: UInt8 = 0x10
    static let timestamp: UInt8 = 0x11
    static let int64: UInt8 = 0x12
    static let decimal128: UInt8 = 0x13
    static let maxKey: UInt8 = 0x7F
    static let minKey: UInt8 = 0xFF
}
