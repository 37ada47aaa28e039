import Domain
import Mongo

/// The rows of MongoDB, in a transaction or by themselves.
///
/// A lock is a write: of two transactions that write to one document, one gets a write conflict, is repeated, and then
/// sees what the other one changed. Two that only read what the other writes would both commit.
struct MongoRows: StoreTransaction, StoreWrites {
    let database: MongoDatabase
    /// `nil` outside transactions: then each statement stands by itself, and needs no session.
    let transaction: MongoTransaction?

    func collection(_ name: MongoCollectionName) -> MongoCollection {
        database.collection(name)
    }

    /// Flips a bit of the document: a counter would reveal how often a user logs in or registers a device.
    /// - Returns: whether the document exists.
    func lock(_ filter: BSONDocument, in name: MongoCollectionName) throws -> Bool {
        try collection(name).updateOne(filter, ["$bit": ["lock": ["xor": .int(1)]]], in: transaction).matched == 1
    }

    /// Users or teams in the order of their case-folded names.
    /// - Parameter after: the folded name of the last one of the previous page.
    func page(
        of name: MongoCollectionName, matching search: NameSearch?, after: String?, limit: Int
    ) throws -> [BSONDocument] {
        guard limit > 0 else { return [] }
        var filter: BSONDocument = ["foldedName": ["$gt": .string(after ?? "")]]
        filter.appendIfPresent("$and", search?.conditions)
        return try collection(name).find(
            filter, sort: ["foldedName": 1], limit: limit, options: search == nil ? [:] : NameSearch.hint,
            in: transaction)
    }

    /// Replaces the fields of a document, and leaves those that are not part of the row.
    /// - Parameter optional: the fields that a row may lack.
    func update(_ name: MongoCollectionName, to row: BSONDocument, optional: [String] = []) throws {
        var fields: BSONDocument = [:]
        for (field, value) in row where field != "_id" { fields.append(field, value) }
        var changes: BSONDocument = ["$set": .document(fields)]
        var missing: BSONDocument = [:]
        for field in optional where row[field] == nil { missing.append(field, "") }
        if missing != [:] { changes.append("$unset", .document(missing)) }
        try collection(name).updateOne(["_id": row["_id"] ?? .null], changes, in: transaction)
    }
}

/// The rows of a MongoDB replica set.
struct MongoStore: Store {
    let connection: MongoConnection

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreRows) throws -> Value
    ) async throws -> Value {
        try await connection.run { try body(MongoRows(database: $0, transaction: nil)) }
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreWrites) throws -> Value
    ) async throws -> Value {
        try await connection.run { try body(MongoRows(database: $0, transaction: nil)) }
    }

    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        try await connection.run { database in
            func attempt() throws -> Value {
                try database.boundedTransaction {
                    try body(MongoRows(database: database, transaction: $0))
                }
            }
            do {
                return try attempt()
            } catch let error as MongoError where error.kind == .duplicateKey {
                // Another transaction stored the key after this one had looked for it. Now `body` finds it.
                return try attempt()
            }
        }
    }
}
