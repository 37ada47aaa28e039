import GRDB
import GRDBSQLite

/// The values for a statement's parameters: by position for question marks, or by name for `:names`.
///
/// GRDB passes text to and from SQLite only up to the first NUL, while everything else compares and counts the whole
/// text: `anna` followed by NUL and anything would find Anna. Arguments therefore use this type and columns use
/// `SQLiteRow`; both preserve the full length.
struct SQLiteArguments: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, Sendable {
    private var values: [DatabaseValue]
    /// In the order of the values; empty if the parameters are positional.
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

    /// Binds the values to a statement, which is then ready to run.
    /// - Throws: `DatabaseError` if there are too many or too few.
    fileprivate func bind(to statement: Statement) throws {
        let byName = Dictionary(zip(names, values)) { first, _ in first }
        try statement.setArguments(names.isEmpty ? StatementArguments(values) : StatementArguments(byName))
        for (place, value) in values.enumerated() {
            guard case .string(let text) = value.storage, text.utf8.contains(0) else { continue }
            let index =
                names.isEmpty
                ? CInt(place + 1) : sqlite3_bind_parameter_index(statement.sqliteStatement, ":\(names[place])")
            // Binds it again, this time with its length.
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
    /// Runs a statement that returns no rows.
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
