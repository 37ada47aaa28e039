import Mongo

/// Deletions in the collection `deletions`, whose ids are the hashes.
struct MongoDeletionStore: DeletionStore {
    let connection: MongoConnection

    func list() async throws -> [Deletion] {
        try await connection.run { database in
            try database.collection(.deletions).find([:], sort: ["_id": 1]).map { try Deletion($0) }
        }
    }

    func add(_ deletions: [Deletion]) async throws {
        try await connection.run { database in
            for deletion in deletions {
                try database.collection(.deletions).updateOne(
                    ["_id": .binary(deletion.hash)], ["$set": ["day": .string(deletion.day.description)]], upsert: true)
            }
        }
    }

    func delete(_ deletions: [Deletion]) async throws {
        try await connection.run { database in
            for deletion in deletions {
                try database.collection(.deletions).deleteOne(["_id": .binary(deletion.hash)])
            }
        }
    }
}

extension MongoRows: DeletionRows {
    func insert(_ deletion: Deletion) throws {
        // Not an insertion: a duplicate key would end the transaction.
        try collection(.deletions).updateOne(
            ["_id": .binary(deletion.hash)], ["$setOnInsert": ["day": .string(deletion.day.description)]],
            upsert: true, in: transaction)
    }
}

extension Deletion {
    /// - Throws: if a field is missing or has another type.
    init(_ document: BSONDocument) throws {
        self.init(hash: try document.bytes("_id"), day: try document.parsed("day"))
    }
}
