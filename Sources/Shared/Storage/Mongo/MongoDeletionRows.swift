import Domain
import Mongo

extension MongoRows: DeletionRows, DeletionWrites {
    func deletions() throws -> [Deletion] {
        try collection(.deletions).find([:], sort: ["_id": 1], in: transaction).map { try Deletion($0) }
    }

    func remember(_ deletions: [Deletion]) throws {
        for deletion in deletions {
            try collection(.deletions).updateOne(
                ["_id": .binary(deletion.hash)], ["$set": ["day": .string(deletion.day.description)]], upsert: true,
                in: transaction)
        }
    }

    func forget(_ deletions: [Deletion]) throws {
        for deletion in deletions {
            try collection(.deletions).deleteOne(["_id": .binary(deletion.hash)], in: transaction)
        }
    }
}

extension MongoRows: DeletionChanges {
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
