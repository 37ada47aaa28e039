import Domain
import Foundation
import Mongo

/// A field of a stored document is missing or has the wrong type: an internal error, never a rejection.
struct UnreadableDocument: Error, CustomStringConvertible {
    /// The field that is missing or has the wrong type.
    let field: String

    var description: String { "A document of the database has no readable field \(field)." }
}

/// Accessors for required fields. The mappings from documents to domain types use only these.
extension BSONDocument {
    func text(_ field: String) throws -> String {
        try required(field, self[field]?.stringValue)
    }

    func int(_ field: String) throws -> Int {
        try required(field, self[field]?.intValue)
    }

    func bool(_ field: String) throws -> Bool {
        try required(field, self[field]?.boolValue)
    }

    func date(_ field: String) throws -> Date {
        try required(field, self[field]?.dateValue)
    }

    func bytes(_ field: String) throws -> [UInt8] {
        try required(field, self[field]?.binaryValue)
    }

    func document(_ field: String) throws -> BSONDocument {
        try required(field, self[field]?.documentValue)
    }

    /// An array in which `read` understands every value.
    func list<Value>(_ field: String, _ read: (BSONValue) -> Value?) throws -> [Value] {
        try required(field, self[field]?.arrayValue).map { try required(field, read($0)) }
    }

    /// A value stored as text: an id, a label, an enum case.
    func parsed<Value: LosslessStringConvertible>(_ field: String, as type: Value.Type = Value.self) throws -> Value {
        try required(field, Value(text(field)))
    }

    /// An enum case, stored as its raw text.
    func choice<Value: RawRepresentable<String>>(_ field: String, as type: Value.Type = Value.self) throws -> Value {
        try required(field, Value(rawValue: text(field)))
    }

    private func required<Value>(_ field: String, _ value: Value?) throws -> Value {
        guard let value else { throw UnreadableDocument(field: field) }
        return value
    }
}

extension BSONDocument {
    /// Appends the field unless the value is nil: what is `nil` in the domain is missing in the database.
    mutating func appendIfPresent(_ field: String, _ value: BSONValue?) {
        if let value { append(field, value) }
    }
}

extension BSONDocument {
    /// Conditions that match texts with this prefix.
    static func range(of prefix: TextPrefix) -> BSONDocument {
        ["$gte": .string(prefix.text), "$lt": .string(prefix.end)]
    }
}

extension BSONValue {
    /// An id as its 32 digits.
    static func id<Entity>(_ id: Identifier<Entity>) -> BSONValue {
        .string(id.description)
    }

    /// `{$in: values}`.
    static func among(_ values: some Sequence<BSONValue>) -> BSONValue {
        .document(["$in": .array(Array(values))])
    }
}
