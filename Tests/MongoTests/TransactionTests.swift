import Foundation
import Mongo
import TestSupport
import Testing

@Suite(.needsMongod) struct TransactionTests {
    struct Refused: Error {}

    @Test func `Writes of a transaction are visible once it has returned`() async throws {
        let client = try await MongoServer.shared.client()
        try await client.run { database in
            let (first, second) = (database.collection("first"), database.collection("second"))
            let count = try database.transaction { transaction in
                try first.insertOne(["_id": 1], in: transaction)
                try second.bulkUpdate([BulkUpdate(["_id": 1], ["$inc": ["n": 1]], upsert: true)], in: transaction)
                try second.findOneAndUpdate(["_id": 1], ["$inc": ["n": 1]], in: transaction)
                #expect(try first.count() == 0)
                #expect(try first.aggregate([["$match": [:]]], in: transaction).count == 1)
                return try first.count(in: transaction)
            }
            #expect(count == 1)
            #expect(try first.count() == 1)
            #expect(try second.findOne([:])?["n"]?.intValue == 2)
        }
    }

    @Test func `An error rolls everything back`() async throws {
        let client = try await MongoServer.shared.client()
        try await client.run { database in
            let items = database.collection("items")
            #expect(throws: Refused.self) {
                try database.transaction { transaction in
                    try items.insertOne(["_id": 1], in: transaction)
                    throw Refused()
                }
            }
            let count = try items.count()
            #expect(count == 0)
        }
    }

    @Test func `A duplicate in a batch is found, and a repeat inserts the rest`() async throws {
        let client = try await MongoServer.shared.client()
        try await client.run { database in
            let receipts = database.collection("receipts")
            try receipts.insertOne(["_id": 2])
            let error = #expect(throws: MongoError.self) {
                try database.transaction { try receipts.insertMany([["_id": 1], ["_id": 2], ["_id": 3]], in: $0) }
            }
            #expect(error?.kind == .duplicateKey && error?.failedIndexes == [1])
            #expect(try receipts.count() == 1)
            try database.transaction { try receipts.insertMany([["_id": 1], ["_id": 3]], in: $0) }
            #expect(try receipts.count() == 3)
        }
    }

    @Test func `A caught error still ends the transaction`() async throws {
        let client = try await MongoServer.shared.client()
        try await client.run { database in
            let items = database.collection("items")
            try items.insertOne(["_id": 1])
            var attempts = 0
            let error = #expect(throws: MongoError.self) {
                try database.transaction { transaction in
                    attempts += 1
                    try items.insertOne(["_id": 2], in: transaction)
                    do { try items.insertOne(["_id": 1], in: transaction) } catch is MongoError {}
                }
            }
            #expect(error?.kind == .duplicateKey)
            #expect(attempts == 1)
            #expect(try items.count() == 1)
        }
    }

    @Test func `Transactions that collide are repeated and all counted`() async throws {
        let client = try await MongoServer.shared.client()
        try await client.run { try $0.collection("tallies").insertOne(["_id": 1, "n": 0]) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for round in 0..<10 {
                        try await client.run { database in
                            try database.transaction { transaction in
                                // Reads first, so that a lost update would be detected.
                                let tallies = database.collection("tallies")
                                let n = try tallies.findOne(["_id": 1], in: transaction)?["n"]?.intValue ?? 0
                                try tallies.updateOne(["_id": 1], ["$set": ["n": .int(n + 1)]], in: transaction)
                                let receipt: BSONDocument = ["_id": .string("\(task)/\(round)")]
                                try database.collection("receipts").insertOne(receipt, in: transaction)
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let counts = try await client.run { database in
            let tally = try database.collection("tallies").findOne([:])?["n"]?.intValue
            return (tally, try database.collection("receipts").count())
        }
        #expect(counts.0 == 80)
        #expect(counts.1 == 80)
    }

    @Test func `A conflict hidden behind another error is repeated too`() async throws {
        let client = try await MongoServer.shared.client()
        try await client.run { database in
            let items = database.collection("items")
            try items.insertOne(["_id": 1, "n": 0])
            var attempts = 0
            try database.transaction { transaction in
                attempts += 1
                _ = try items.findOne(["_id": 1], in: transaction)
                // Outside the transaction: a transaction that has read before can no longer write.
                if attempts == 1 { try items.updateOne(["_id": 1], ["$inc": ["n": 1]]) }
                do {
                    try items.updateOne(["_id": 1], ["$inc": ["n": 1]], in: transaction)
                } catch {
                    throw Refused()
                }
            }
            #expect(attempts == 2)
            #expect(try items.findOne([:])?["n"]?.intValue == 2)
        }
    }

    @Test func `Handles refuse to work after their closure`() async throws {
        let client = try await MongoServer.shared.client()
        try await client.run { database in
            var kept: MongoTransaction?
            try database.transaction { kept = $0 }
            let error = #expect(throws: MongoError.self) { try database.collection("items").insertOne([:], in: kept) }
            #expect(error?.kind == .invalidArgument)
        }
        let error = #expect(throws: MongoError.self) { try keepDatabase(client).hello() }
        #expect(error?.kind == .invalidArgument)
    }

    private func keepDatabase(_ client: MongoClient) throws -> MongoDatabase {
        try client.runBlocking { $0 }
    }
}
