import Crypto
import Foundation
import GRDB
import Mongo

/// A kind of records, and where each store keeps them: in MongoDB a collection, in SQLite a table, with further tables
/// for what a document has in arrays. `MovedKind.all` names all of them.
struct MovedKind: Sendable {
    /// The name of the collection, or a part of it.
    let name: String
    let collection: MongoCollectionName
    /// Chooses documents if the collection has others too.
    var filter: BSONDocument = [:]
    /// `nil` if the rows are only those of `parts`.
    let table: String?
    /// What is selected from: the table, with a condition, or distinct keys of a part.
    let source: String
    /// The columns by which rows are ordered. So nothing is copied in the order in which it was stored.
    let order: String
    let fields: [MovedField]
    var parts: [MovedPart] = []
    /// Fields that follow from others, by the values of columns.
    var derived: @Sendable (_ values: [String: BSONValue]) throws -> [(field: String, value: BSONValue)] = { _ in [] }
    /// Fields that hold nothing to keep: bits that transactions collide on, or results of a calculation.
    var ignored: Set<String> = ["lock"]

    var columns: [MovedColumn] { fields.flatMap(\.columns) }
}

/// A table whose rows are an array in a document.
struct MovedPart: Sendable {
    let table: String
    /// The array in the document.
    let array: String
    /// The columns that name the record, and those of the record that they equal.
    let links: [(own: MovedColumn, of: String)]
    let order: String
    /// Whether the order of the array means something. Otherwise it is not compared.
    var isOrdered = false
    /// A column that holds only the place in the array.
    var position: String?
    /// A single field whose path is empty if the elements are no documents.
    let fields: [MovedField]

    var columns: [MovedColumn] { fields.flatMap(\.columns) }
}

/// A record on its way: the same whichever store it comes from.
struct MovedRecord {
    /// Of `MovedKind.columns`.
    var values: [BSONValue]
    /// For each of `MovedKind.parts` its rows, with the values of `MovedPart.columns`.
    var parts: [[[BSONValue]]]

    /// The same for the same content.
    var bytes: [UInt8] {
        let parts = parts.map { rows in BSONValue.array(rows.map { BSONValue.array($0) }) }
        let document: BSONDocument = ["values": .array(values), "parts": .array(parts)]
        return document.bytes
    }
}

/// Number and checksum of records, whatever their order.
struct MovedSum: Sendable, Equatable {
    private(set) var records = 0
    /// The sum of the SHA-256 of all records, in four words.
    private var words: [UInt64] = [0, 0, 0, 0]

    mutating func add(_ record: MovedRecord) {
        records += 1
        for (index, byte) in SHA256.hash(data: record.bytes).enumerated() {
            words[index / 8] &+= UInt64(byte) << UInt64(8 * (index % 8))
        }
    }

    /// The beginning, in hexadecimal digits: enough for an operator to compare.
    var checksum: String { String(format: "%016lx", words[0]) }
}

// MARK: - SQLite

extension MovedKind {
    /// Passes all records to `body`, ordered by their keys.
    func forEach(in db: Database, _ body: (MovedRecord) throws -> Void) throws {
        let columns = self.columns
        let names = columns.map(\.name)
        let query = "SELECT \(names.joined(separator: ", ")) FROM \(source) ORDER BY \(order)"
        _ = try db.rows(query) { row in
            let values = columns.map { $0.form.value(from: &row) }
            let byName = Dictionary(uniqueKeysWithValues: zip(names, values))
            try body(MovedRecord(values: values, parts: try parts.map { try $0.rows(of: byName, in: db) }))
        }
    }

    func deleteAll(in db: Database) throws {
        for part in parts { try db.change("DELETE FROM \(part.table)") }
        if let table { try db.change("DELETE FROM \(table)") }
    }

    func insert(_ record: MovedRecord, in db: Database) throws {
        let columns = self.columns
        if let table { try db.insert(record.values, columns, into: table) }
        let byName = Dictionary(uniqueKeysWithValues: zip(columns.map(\.name), record.values))
        for (part, rows) in zip(parts, record.parts) {
            let links = part.links.map(\.own)
            let keys = part.links.map { byName[$0.of] ?? BSONValue.null }
            for (index, row) in rows.enumerated() {
                var (all, values) = (links + part.columns, keys + row)
                if let position = part.position {
                    all.append(MovedColumn(name: position, form: .int))
                    values.append(BSONValue.int(index + 1))
                }
                try db.insert(values, all, into: part.table)
            }
        }
    }
}

extension MovedPart {
    fileprivate func rows(of record: [String: BSONValue], in db: Database) throws -> [[BSONValue]] {
        let columns = self.columns
        let condition = links.map { "\($0.own.name) = ?" }.joined(separator: " AND ")
        let keys = links.map { $0.own.form.argument(record[$0.of] ?? BSONValue.null) }
        let query = """
            SELECT \(columns.map(\.name).joined(separator: ", ")) FROM \(table) WHERE \(condition) ORDER BY \(order)
            """
        return compared(
            try db.rows(query, SQLiteArguments(keys)) { row in columns.map { $0.form.value(from: &row) } })
    }

    /// In an order that depends only on the content, unless the order is part of it.
    fileprivate func compared(_ rows: [[BSONValue]]) -> [[BSONValue]] {
        guard !isOrdered else { return rows }
        return rows.map { row -> (row: [BSONValue], key: [UInt8]) in
            let document: BSONDocument = ["row": .array(row)]
            return (row: row, key: document.bytes)
        }
        .sorted { $0.key.lexicographicallyPrecedes($1.key) }
        .map(\.row)
    }
}

extension Database {
    fileprivate func insert(_ values: [BSONValue], _ columns: [MovedColumn], into table: String) throws {
        let names = columns.map(\.name).joined(separator: ", ")
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        let arguments = zip(columns, values).map { column, value in column.form.argument(value) }
        try change("INSERT INTO \(table) (\(names)) VALUES (\(marks))", SQLiteArguments(arguments))
    }
}

// MARK: - MongoDB

extension MovedKind {
    /// Passes all records to `body`, ordered by their keys.
    /// - Throws: `MongoStorageError.backup` for a document with a field that this program does not know.
    func forEach(
        in database: MongoDatabase, snapshot: MongoTransaction? = nil, _ body: (MovedRecord) throws -> Void
    ) throws {
        let known = try knownFields
        try database.collection(collection).forEach(filter, sort: ["_id": 1], in: snapshot) { document in
            if let unknown = document.keys.first(where: { !known.contains($0) }) {
                throw MongoStorageError.backup(
                    "A document of \(collection.rawValue) has the field \(unknown), which this program does not know. Use "
                        + "the version that wrote it.")
            }
            let record = try self.record(document)
            // Without a table, a record without parts is nothing.
            if table != nil || record.parts.contains(where: { !$0.isEmpty }) { try body(record) }
            return true
        }
    }

    /// At the top of a document.
    var knownFields: Set<String> {
        get throws {
            let nulls = Dictionary(uniqueKeysWithValues: columns.map { ($0.name, BSONValue.null) })
            return ignored.union(fields.compactMap(\.path.first)).union(parts.map(\.array))
                .union(try derived(nulls).map(\.field))
        }
    }

    private func record(_ document: BSONDocument) throws -> MovedRecord {
        MovedRecord(
            values: try fields.flatMap { try $0.split(document.value(at: $0.path)) },
            parts: try parts.map { try $0.rows(of: document) })
    }

    /// The document of a record.
    func document(_ record: MovedRecord) throws -> BSONDocument {
        let byName = Dictionary(uniqueKeysWithValues: zip(columns.map(\.name), record.values))
        var all: [(path: [String], value: BSONValue)] = []
        for (field, value) in try derived(byName) { all.append((path: [field], value: value)) }
        all += try fields.joined(record.values)
        for (part, rows) in zip(parts, record.parts) where !rows.isEmpty || part.isAlwaysThere {
            let elements = try rows.map { row -> BSONValue in
                let fields = try part.fields.joined(row)
                if let only = fields.first, only.path.isEmpty { return only.value }
                return .document(BSONDocument(fields: fields))
            }
            all.append((path: [part.array], value: .array(elements)))
        }
        return BSONDocument(fields: all)
    }
}

extension MovedPart {
    /// Users without absences lack the field, which has an index, and so do actions that nobody supports; readers of the
    /// other arrays expect one.
    fileprivate var isAlwaysThere: Bool { array != "absences" && array != "support" }

    fileprivate func rows(of document: BSONDocument) throws -> [[BSONValue]] {
        guard let stored = document[array] else { return [] }
        guard let elements = stored.arrayValue else { throw UnreadableDocument(field: array) }
        return compared(
            try elements.map { element in
                try fields.flatMap { field in
                    try field.split(field.path.isEmpty ? element : element.documentValue?.value(at: field.path))
                }
            })
    }
}

extension [MovedField] {
    /// The fields that a document has.
    fileprivate func joined(_ values: [BSONValue]) throws -> [(path: [String], value: BSONValue)] {
        var present: [(path: [String], value: BSONValue)] = []
        var first = 0
        for field in self {
            let own = [BSONValue](values[first..<(first + field.columns.count)])
            first += field.columns.count
            if let value = try field.join(own) { present.append((path: field.path, value: value)) }
        }
        return present
    }
}
