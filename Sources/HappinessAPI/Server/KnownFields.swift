import Domain
import Foundation

/// A decoded value, all of whose fields were known: a misspelt one would otherwise be ignored without a word.
///
/// While a type is decoded, this notes the fields that it asks for, so no type has to list its own. Objects inside it,
/// in lists and dictionaries too, are checked in the same way, unless their type is a `TakesUnknownFields`.
struct KnownFields<Value: Decodable>: Decodable {
    let value: Value

    /// - Throws: what `Value` throws; `AppError.malformed` (`unknown-field`) naming an unknown field by its path, and
    ///   the known ones beside it.
    init(from decoder: any Decoder) throws {
        guard !(Value.self is any TakesUnknownFields.Type) else {
            value = try Value(from: decoder)
            return
        }
        let noting = NotingDecoder(decoder)
        value = try Value(from: noting)
        try noting.rejectUnknownFields()
    }

    /// Whether values are never objects. `JSONDecoder` reads some of these types in a way of its own.
    static var areNeverObjects: Bool {
        switch Value.self {
        case is String.Type, is Bool.Type, is Int.Type, is Double.Type, is Date.Type, is Data.Type, is URL.Type,
            is Decimal.Type:
            true
        default: false
        }
    }
}

/// An object that someone else defines and may add fields to, such as one from a browser's own interface.
protocol TakesUnknownFields: Decodable {}

/// Passes everything on to another decoder, and notes for which fields of its value it was asked. Used for one value
/// and within one call.
private final class NotingDecoder: Decoder {
    private let base: any Decoder
    private var isObject = false
    private var asked: Set<String> = []

    init(_ base: any Decoder) {
        self.base = base
    }

    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let fields = try base.container(keyedBy: type)
        isObject = true
        return KeyedDecodingContainer(NotedFields(fields, decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        CheckedItems(items: try base.unkeyedContainer())
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        CheckedValue(value: try base.singleValueContainer())
    }

    func record(_ key: some CodingKey) { asked.insert(key.stringValue) }

    /// - Throws: `AppError.malformed` (`unknown-field`) for a field that nothing asked for.
    func rejectUnknownFields() throws {
        guard isObject else { return }
        let present = try base.container(keyedBy: FieldName.self).allKeys.map(\.stringValue)
        guard let unknown = present.filter({ !asked.contains($0) }).min() else { return }
        throw AppError.unknownField(unknown, in: codingPath, known: asked)
    }
}

/// The fields of an object; notes the name of each one that is asked for.
private struct NotedFields<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let fields: KeyedDecodingContainer<Key>
    private let decoder: NotingDecoder

    init(_ fields: KeyedDecodingContainer<Key>, decoder: NotingDecoder) {
        self.fields = fields
        self.decoder = decoder
    }

    var codingPath: [any CodingKey] { fields.codingPath }
    var allKeys: [Key] { fields.allKeys }

    func contains(_ key: Key) -> Bool {
        decoder.record(key)
        return fields.contains(key)
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        decoder.record(key)
        return try fields.decodeNil(forKey: key)
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        decoder.record(key)
        guard !KnownFields<Value>.areNeverObjects else { return try fields.decode(type, forKey: key) }
        return try fields.decode(KnownFields<Value>.self, forKey: key).value
    }

    // Fields in a nested container are not checked; a type of its own for the inner object is.

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        decoder.record(key)
        return try fields.nestedContainer(keyedBy: type, forKey: key)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        decoder.record(key)
        return CheckedItems(items: try fields.nestedUnkeyedContainer(forKey: key))
    }

    func superDecoder() throws -> any Decoder { try fields.superDecoder() }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        decoder.record(key)
        return try fields.superDecoder(forKey: key)
    }
}

/// The items of a list, each of which may be an object.
private struct CheckedItems: UnkeyedDecodingContainer {
    var items: any UnkeyedDecodingContainer

    var codingPath: [any CodingKey] { items.codingPath }
    var count: Int? { items.count }
    var isAtEnd: Bool { items.isAtEnd }
    var currentIndex: Int { items.currentIndex }

    mutating func decodeNil() throws -> Bool {
        try items.decodeNil()
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard !KnownFields<Value>.areNeverObjects else { return try items.decode(type) }
        return try items.decode(KnownFields<Value>.self).value
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try items.nestedContainer(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        CheckedItems(items: try items.nestedUnkeyedContainer())
    }

    mutating func superDecoder() throws -> any Decoder {
        try items.superDecoder()
    }
}

/// A value that a type decodes as another one, such as an enum case as its text.
private struct CheckedValue: SingleValueDecodingContainer {
    let value: any SingleValueDecodingContainer

    var codingPath: [any CodingKey] { value.codingPath }

    func decodeNil() -> Bool { value.decodeNil() }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard !KnownFields<Value>.areNeverObjects else { return try value.decode(type) }
        return try value.decode(KnownFields<Value>.self).value
    }
}

/// The name of any field.
private struct FieldName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) {
        return nil
    }
}

extension AppError {
    /// A field that the API does not have. The message repeats its name only if it looks like one.
    /// - Parameters:
    ///   - place: the object that contains it.
    ///   - known: the fields that this object may have.
    fileprivate static func unknownField(_ name: String, in place: [any CodingKey], known: Set<String>) -> AppError {
        var path = ""
        for key in place {
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += path.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
        path += path.isEmpty ? name : ".\(name)"
        let isReadable = path.wholeMatch(of: /[A-Za-z0-9._\[\]-]{1,160}/) != nil
        let names = known.sorted().joined(separator: ", ")
        let problem =
            switch (isReadable, known.isEmpty) {
            case (true, true): Sentence("The field \(path) is unknown.")
            case (true, false): Sentence("The field \(path) is unknown. Known are: \(names).")
            case (false, true): Sentence("The request has an unknown field.")
            case (false, false): Sentence("The request has an unknown field. Known are: \(names).")
            }
        return AppError(.malformed, problem, reason: .unknownField)
    }
}
