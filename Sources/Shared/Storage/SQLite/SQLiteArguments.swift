import GRDB
import GRDBSQLite

/// The values for a statement's parameters: for question marks in their order, or for `:names` by name.
///
/// GRDB hands SQLite a text up to its first NUL, in both directions, while everything else compares and counts the whole:
/// `anna` and NUL and anything would find Anna. So arguments go through this type and columns through `SQLiteRow`,
/// which give texts the length they have.
struct SQLiteArguments: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, Sendable {
    private var values: [DatabaseValue]
    /// In the values' order; empty if they go by their places.
    private var names: [String] = []

    init(_ values: [any DatabaseValueConvertible]) {
        self.values = values.map(\.databaseValue)
    }

    init(arrayLiteral elements: (any DatabaseValueConvertible)?...) {
        values = elements.map { $0?.databaseValue ?? .null }
    }

    init(dictionaryLiteral elements: (String, (any DatabaseValueConvertible)?)...) {
        values = elements.map { $1?.databaseValue ?? .null }
        names = elements.map(\.0)
    }

    static func + (left: Self, right: Self) -> Self {
        var all = left
        all += right
        return all
    }

    static func += (left: inout Self, right: Self) {
        left.values += right.values
        left.names += right.names
    }

    /// Binds the values to a statement that can be run then.
    /// - Throws: `DatabaseError` if there are too many or too few.
    fileprivate func bind(to statement: Statement) throws {
        let byName = Dictionary(zip(names, values)) { first, _ in first }
        try statement.setArguments(names.isEmpty ? StatementArguments(values) : StatementArguments(byName))
        for (place, value) in values.enumerated() {
            guard case .string(let text) = value.storage, text.utf8.contains(0) else { continue }
            let index =
                names.isEmpty
                ? CInt(place + 1) : sqlite3_bind_parameter_index(statement.sqliteStatement, ":\(names[place])")
            // Once more, now with its length.
            let code = sqlite3_bind_text(
                statement.sqliteStatement, index, text, CInt(text.utf8.count), Self.copiesBytes)
            guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        }
    }

    /// `SQLITE_TRANSIENT`, a macro that Swift does not import (https://www.sqlite.org/c3ref/c_static.html).
    private static var copiesBytes: sqlite3_destructor_type {
        unsafeBitCast(OpaquePointer(bitPattern: -1), to: sqlite3_destructor_type.self)
    }
}

extension Statement {
    /// Runs the statement for its effect.
    func run(_ arguments: SQLiteArguments) throws {
        try arguments.bind(to: self)
        try execute()
    }

    /// Runs the statement and reads its rows.
    func rows<Value>(_ arguments: SQLiteArguments, read: (inout SQLiteRow) throws -> Value) throws -> [Value] {
        try arguments.bind(to: self)
        let cursor = try Row.fetchCursor(self)
        var values: [Value] = []
        while let row = try cursor.next() {
            var columns = SQLiteRow(row)
            values.append(try read(&columns))
        }
        return values
    }
}
