import Foundation
import GRDB
import Mongo

/// What a column of SQLite holds, and so its type in MongoDB. On its way a value is a `BSONValue`, `.null` for NULL.
enum MovedForm: Sendable {
    case text
    case int
    case bool
    case bytes
    /// An instant, in milliseconds in SQLite.
    case milliseconds
    /// An instant, in whole seconds in SQLite.
    case seconds

    /// Reads the next column of a row.
    func value(from row: inout SQLiteRow) -> BSONValue {
        switch self {
        case .text: row.optional(as: String.self).map { BSONValue.string($0) } ?? BSONValue.null
        case .int: row.optional(as: Int64.self).map { BSONValue.int64($0) } ?? BSONValue.null
        case .bool: row.optional(as: Bool.self).map { BSONValue.bool($0) } ?? BSONValue.null
        case .bytes: row.optionalBytes().map { BSONValue.binary($0) } ?? BSONValue.null
        case .milliseconds: row.optional(as: Int64.self).map { BSONValue.date($0) } ?? BSONValue.null
        case .seconds: row.optional(as: Int64.self).map { BSONValue.date($0 * 1_000) } ?? BSONValue.null
        }
    }

    /// The value of a document's field as a row has it.
    /// - Throws: `UnreadableDocument` if it has another type.
    func value(from stored: BSONValue, field: String) throws -> BSONValue {
        switch (self, stored) {
        case (_, .null), (.text, .string), (.bool, .bool), (.bytes, .binary), (.milliseconds, .date):
            return stored
        case (.seconds, .date(let milliseconds)):
            let rest = milliseconds % 1_000
            return BSONValue.date(milliseconds - (rest < 0 ? rest + 1_000 : rest))
        case (.int, _):
            guard let number = stored.intValue else { throw UnreadableDocument(field: field) }
            return BSONValue.int(number)
        default:
            throw UnreadableDocument(field: field)
        }
    }

    /// The value for a statement's parameter.
    func argument(_ value: BSONValue) -> any DatabaseValueConvertible {
        switch value {
        case .string(let text): return text
        case .int64(let number): return number
        case .bool(let flag): return flag
        case .binary(let bytes): return Data(bytes)
        case .date(let milliseconds):
            if case .seconds = self { return milliseconds / 1_000 }
            return milliseconds
        default: return DatabaseValue.null
        }
    }
}

/// A column of a table.
struct MovedColumn: Sendable {
    let name: String
    let form: MovedForm
}

/// A field of a document, and the columns that hold the same.
struct MovedField: Sendable {
    /// From the top of the document; more than one if it is nested.
    let path: [String]
    let columns: [MovedColumn]
    /// The field of these columns; `nil` if the document lacks it.
    let join: @Sendable (_ values: [BSONValue]) throws -> BSONValue?
    /// The columns of this field, which is `nil` if the document lacks it.
    let split: @Sendable (_ field: BSONValue?) throws -> [BSONValue]

    init(
        _ path: String, _ columns: [MovedColumn],
        join: @escaping @Sendable (_ values: [BSONValue]) throws -> BSONValue?,
        split: @escaping @Sendable (_ field: BSONValue?) throws -> [BSONValue]
    ) {
        self.path = path.split(separator: ".").map(String.init)
        self.columns = columns
        self.join = join
        self.split = split
    }
}

extension MovedField {
    /// A column that is one field. NULL is a missing field.
    /// - Parameters:
    ///   - field: the column's name by default; dots separate the levels of nested documents.
    ///   - missing: what a document of an older version means that lacks the field.
    static func one(
        _ form: MovedForm, _ column: String, _ field: String? = nil, missing: BSONValue = BSONValue.null
    ) -> MovedField {
        let path = field ?? column
        return MovedField(
            path, [MovedColumn(name: column, form: form)],
            join: { values in values[0].ifPresent },
            split: { stored in [try form.value(from: stored ?? missing, field: path)] })
    }

    /// A flag that a document has only for one of its two values.
    /// - Parameter value: of the column when the document has the field.
    static func flag(_ column: String, _ field: String, presentFor value: Bool) -> MovedField {
        MovedField(
            field, [MovedColumn(name: column, form: .bool)],
            join: { values in
                let isPresent = values[0] == BSONValue.bool(value)
                return (isPresent ? BSONValue.bool(true) : BSONValue.null).ifPresent
            },
            split: { stored in
                let isPresent = stored?.boolValue ?? false
                return [BSONValue.bool(isPresent == value)]
            })
    }

    /// Columns of numbers that are an array. They are all NULL if the document lacks it.
    static func numbers(_ columns: [String], _ field: String) -> MovedField {
        MovedField(
            field, columns.map { MovedColumn(name: $0, form: .int) },
            join: { values in
                let isMissing = values[0] == BSONValue.null
                return (isMissing ? BSONValue.null : BSONValue.array(values)).ifPresent
            },
            split: { stored in
                guard let stored else { return columns.map { _ in BSONValue.null } }
                guard let numbers = stored.arrayValue, numbers.count == columns.count else {
                    throw UnreadableDocument(field: field)
                }
                return try numbers.map { try MovedForm.int.value(from: $0, field: field) }
            })
    }
}

extension BSONValue {
    /// `nil` for null.
    var ifPresent: BSONValue? {
        if case .null = self { return Optional<BSONValue>.none }
        return Optional<BSONValue>.some(self)
    }
}

extension BSONDocument {
    /// A document with fields at these paths, in this order.
    init(fields: [(path: [String], value: BSONValue)]) {
        var names: [String] = []
        var parts: [String: [(path: [String], value: BSONValue)]] = [:]
        for field in fields {
            guard let name = field.path.first else { continue }
            if parts[name] == nil { names.append(name) }
            parts[name, default: []].append((path: Array(field.path.dropFirst()), value: field.value))
        }
        self.init()
        for name in names {
            guard let inner = parts[name], let first = inner.first else { continue }
            append(name, first.path.isEmpty ? first.value : .document(BSONDocument(fields: inner)))
        }
    }

    /// The field at the end of a path.
    func value(at path: [String]) -> BSONValue? {
        guard let name = path.first else { return Optional<BSONValue>.none }
        let value = self[name]
        return path.count == 1 ? value : value?.documentValue?.value(at: Array(path.dropFirst()))
    }
}
