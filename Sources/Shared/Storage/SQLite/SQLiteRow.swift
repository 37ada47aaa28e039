import Commitments
import Foundation
import GRDB
import GRDBSQLite

/// Reads a row's columns from left to right, in the statement's order. By position, because a year's history has a
/// thousand columns and a lookup by name compares texts.
struct SQLiteRow {
    private let row: Row
    private var column = 0

    init(_ row: Row) {
        self.row = row
    }

    /// The next column.
    mutating func value<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        as _: Value.Type = Value.self
    ) -> Value {
        defer { column += 1 }
        return row[column]
    }

    /// The next column; `nil` for NULL.
    mutating func optional<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        as _: Value.Type = Value.self
    ) -> Value? {
        defer { column += 1 }
        return row[column]
    }

    /// The next column, a text with its full length.
    mutating func value(as _: String.Type = String.self) -> String {
        value(as: SQLiteText.self).text
    }

    /// As `value`; `nil` for NULL.
    mutating func optional(as _: String.Type = String.self) -> String? {
        optional(as: SQLiteText.self)?.text
    }

    /// The next column, a text that one of our types can parse: an id, a day, a calendar.
    mutating func parsed<Value: LosslessStringConvertible>(as _: Value.Type = Value.self) throws -> Value {
        let text: String = value()
        guard let parsed = Value(text) else { throw unreadable }
        return parsed
    }

    /// As `parsed`; `nil` for NULL.
    mutating func optionalParsed<Value: LosslessStringConvertible>(as _: Value.Type = Value.self) throws -> Value? {
        guard let text: String = optional() else { return nil }
        guard let parsed = Value(text) else { throw unreadable }
        return parsed
    }

    /// The next column, an enum case by its name.
    mutating func named<Value: RawRepresentable<String>>(as _: Value.Type = Value.self) throws -> Value {
        let name: String = value()
        guard let named = Value(rawValue: name) else { throw unreadable }
        return named
    }

    /// The next column, an instant in milliseconds.
    mutating func instant() -> Date {
        Date(milliseconds: value())
    }

    /// As `instant`; `nil` for NULL.
    mutating func optionalInstant() -> Date? {
        optional(as: Int64.self).map { Date(milliseconds: $0) }
    }

    /// The next column, an instant in whole seconds.
    mutating func second() -> Date {
        Date(timeIntervalSince1970: Double(value(as: Int64.self)))
    }

    /// The next column, a blinding factor of commitments.
    mutating func randomness() throws -> BlindingFactor {
        guard let randomness = BlindingFactor(value(as: Data.self)) else { throw unreadable }
        return randomness
    }

    /// The next column, bytes.
    mutating func bytes() -> [UInt8] {
        Array(value(as: Data.self))
    }

    /// As `bytes`; `nil` for NULL.
    mutating func optionalBytes() -> [UInt8]? {
        optional(as: Data.self).map { Array($0) }
    }

    /// Names the column but not the value, which may be personal.
    private var unreadable: SQLiteStorageError {
        let name = Array(row.columnNames)[column - 1]
        return SQLiteStorageError("The store holds a value in column \(name) that this program cannot read.")
    }
}

/// A text column; GRDB's `String` ends at the first NUL.
private struct SQLiteText: DatabaseValueConvertible, StatementColumnConvertible {
    let text: String

    init(sqliteStatement: SQLiteStatement, index: CInt) {
        // In this order: requesting the text may convert the value and so change its number of bytes.
        let start = sqlite3_column_text(sqliteStatement, index)
        let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(sqliteStatement, index)))
        text = String(decoding: bytes, as: UTF8.self)
    }

    private init(text: String) {
        self.text = text
    }

    var databaseValue: DatabaseValue { text.databaseValue }

    static func fromDatabaseValue(_ value: DatabaseValue) -> SQLiteText? {
        String.fromDatabaseValue(value).map(Self.init(text:))
    }
}

extension Database {
    /// Runs a statement and reads its rows. Statements are prepared once per connection, so pass constant texts.
    func rows<Value>(
        _ sql: String, _ arguments: SQLiteArguments = [], read: (inout SQLiteRow) throws -> Value
    ) throws -> [Value] {
        try cachedStatement(sql: sql).rows(arguments, read: read)
    }

    /// Like `rows`, for a statement with at most one row.
    func first<Value>(
        _ sql: String, _ arguments: SQLiteArguments = [], read: (inout SQLiteRow) throws -> Value
    ) throws -> Value? {
        try rows(sql, arguments, read: read).first
    }

    /// Ids as one argument, for `json_each`: a statement stays the same for any number of them.
    func idList(_ ids: [some Encodable]) throws -> String {
        String(decoding: try JSONEncoder().encode(ids), as: UTF8.self)
    }

    /// Runs a statement that takes these ids, as `idList`, and reads pairs of an id and its count.
    func counts<ID: Hashable & Encodable & LosslessStringConvertible>(
        _ sql: String, of ids: [ID]
    ) throws -> [ID: Int] {
        let counts = try rows(sql, [try idList(ids)]) { (try $0.parsed(as: ID.self), $0.value(as: Int.self)) }
        return Dictionary(uniqueKeysWithValues: counts)
    }

    /// Whether the statement has a row.
    func contains(_ sql: String, _ arguments: SQLiteArguments) throws -> Bool {
        try first(sql, arguments) { _ in true } ?? false
    }

    /// Runs a statement that changes rows.
    /// - Returns: the number of changed rows.
    @discardableResult
    func change(_ sql: String, _ arguments: SQLiteArguments = []) throws -> Int {
        try cachedStatement(sql: sql).run(arguments)
        return changesCount
    }
}

extension Date {
    /// The instant from its stored form.
    init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }

    /// The nearest millisecond since 1970.
    var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1_000).rounded()) }

    /// Whole seconds since 1970, rounded down: the unit of sprints.
    package var seconds: Int64 { Int64(timeIntervalSince1970.rounded(.down)) }
}
