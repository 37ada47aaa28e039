import Mongo
import TestSupport
import Testing

@Suite(.needsMongod) struct CollectionTests {
    @Test func `Inserted documents are found in the order of the sort`() async throws {
        let client = try await MongoServer.shared.client()
        let names = try await client.run { database in
            let users = database.collection("users")
            try users.insertMany([["_id": 2, "name": "Bo"], ["_id": 1, "name": "Al"], ["_id": 3, "name": "Cy"]])
            return try users.find([:], sort: ["_id": -1], projection: ["name": 1], limit: 2, skip: 1)
                .map { $0["name"]?.stringValue }
        }
        #expect(names == ["Bo", "Al"])
    }

    @Test func `Any text and any type survives the server`() async throws {
        let client = try await MongoServer.shared.client()
        let documents: [BSONDocument] = (0..<200).map { seed in
            var random = SeededGenerator(seed: UInt64(seed))
            return ["_id": .int(seed), "value": random.value(depth: 3)]
        }
        let found = try await client.run { database in
            try database.collection("items").insertMany(documents)
            return try database.collection("items").find([:], sort: ["_id": 1])
        }
        #expect(found == documents)
    }

    @Test func `Updates count what they matched and changed`() async throws {
        let client = try await MongoServer.shared.client()
        try await client.run { database in
            let items = database.collection("items")
            #expect(
                try items.updateOne(["_id": 1], ["$inc": ["n": 1]], upsert: true)
                    == UpdateResult(matched: 0, modified: 0, upserted: true))
            try items.insertOne(["_id": 2, "n": 1])
            let result = try items.updateMany([:], ["$set": ["n": 1]])
            #expect(result == UpdateResult(matched: 2, modified: 0, upserted: false))
            #expect(try items.updateOne(["_id": 9], ["$set": ["n": 1]]).matched == 0)
            #expect(try items.replaceOne(["_id": 2], ["m": 5]).modified == 1)
            #expect(try items.findOne(["_id": 2]) == ["_id": 2, "m": 5])
            let doubled = BSONDocument.pipeline([["$set": ["n": ["$multiply": ["$n", 2]]]]])
            #expect(try items.updateOne(["_id": 1], doubled).modified == 1)
            #expect(try items.findOne(["_id": 1])?["n"]?.intValue == 2)
        }
    }

    @Test func `A bulk call sums up its updates`() async throws {
        let client = try await MongoServer.shared.client()
        try await client.run { database in
            let tallies = database.collection("tallies")
            try tallies.insertMany([["_id": 1, "n": 0], ["_id": 2, "n": 0]])
            let result = try tallies.bulkUpdate([
                BulkUpdate(["_id": 1], ["$inc": ["n": 1]]),
                BulkUpdate(["_id": 3], ["$inc": ["n": 1]], upsert: true),
                BulkUpdate([:], ["$inc": ["n": 10]], many: true),
            ])
            #expect(result == UpdateResult(matched: 4, modified: 4, upserted: true))
            #expect(try tallies.find([:], sort: ["_id": 1]).map { $0["n"]?.intValue } == [11, 10, 11])
            #expect(try tallies.bulkUpdate([]).matched == 0)
        }
    }

    @Test func `A find-and-update returns the document before or after`() async throws {
        let client = try await MongoServer.shared.client()
        try await client.run { database in
            let jobs = database.collection("jobs")
            try jobs.insertMany([["_id": 1, "at": 2, "n": 0], ["_id": 2, "at": 1, "n": 0]])
            let before = try jobs.findOneAndUpdate([:], ["$inc": ["n": 1]], sort: ["at": 1])
            #expect(before == ["_id": 2, "at": 1, "n": 0])
            let after = try jobs.findOneAndUpdate(["_id": 2], ["$inc": ["n": 1]], projection: ["n": 1], returnNew: true)
            #expect(after == ["_id": 2, "n": 2])
            #expect(try jobs.findOneAndUpdate(["_id": 3], ["$inc": ["n": 1]], returnNew: true) == nil)
            #expect(try jobs.findOneAndUpdate(["_id": 3], ["$inc": ["n": 1]], upsert: true) == nil)
            #expect(try jobs.count() == 3)
        }
    }

    @Test func `Deletes are counted, and aggregates sum`() async throws {
        let client = try await MongoServer.shared.client()
        try await client.run { database in
            let items = database.collection("items")
            try items.insertMany((0..<10).map { ["_id": .int($0), "odd": .bool($0 % 2 == 1)] })
            let stages: [BSONDocument] = [["$group": ["_id": "$odd", "sum": ["$sum": "$_id"]]], ["$sort": ["_id": 1]]]
            #expect(try items.aggregate(stages).map { $0["sum"]?.intValue } == [20, 25])
            #expect(try items.deleteOne(["odd": true]) == 1)
            #expect(try items.deleteMany(["odd": true]) == 4)
            #expect(try items.deleteMany(["odd": true]) == 0)
            #expect(try items.count(["odd": false]) == 5)
        }
    }

    @Test func `More documents than one batch are all read`() async throws {
        let client = try await MongoServer.shared.client()
        try await client.run { database in
            let items = database.collection("items")
            try items.insertMany((0..<1_000).map { ["_id": .int($0)] })
            #expect(try items.find([:], sort: ["_id": 1]).map { $0["_id"]?.intValue } == Array(0..<1_000))
            var seen = 0
            try items.forEach([:]) { _ in
                seen += 1
                return seen < 150
            }
            #expect(seen == 150)
        }
    }

    @Test func `A duplicate key is recognised by kind and position`() async throws {
        let client = try await MongoServer.shared.client()
        try await client.run { database in
            let users = database.collection("users")
            try users.createIndex(["name": 1], name: "name", unique: true)
            try users.createIndex(["name": 1], name: "name", unique: true)
            try users.insertOne(["_id": 1, "name": "Al"])
            let error = #expect(throws: MongoError.self) { try users.insertOne(["_id": 2, "name": "Al"]) }
            #expect(error?.kind == .duplicateKey && error?.code == 11000)
            #expect(error?.description.contains("Al") == false)
            let documents: [BSONDocument] = [["_id": 3], ["_id": 1], ["_id": 4, "name": "x"], ["_id": 3]]
            let many = #expect(throws: MongoError.self) { try users.insertMany(documents, ordered: false) }
            #expect(many?.kind == .duplicateKey && many?.failedIndexes == [1, 3])
            #expect(try users.count() == 3)
            let update = #expect(throws: MongoError.self) { try users.updateOne(["_id": 3], ["$set": ["name": "Al"]]) }
            #expect(update?.kind == .duplicateKey)
            let modify = #expect(throws: MongoError.self) {
                try users.findOneAndUpdate(["_id": 3], ["$set": ["name": "Al"]])
            }
            #expect(modify?.kind == .duplicateKey)
        }
    }

    @Test func `Wrong calls are told apart`() async throws {
        let client = try await MongoServer.shared.client()
        try await client.run { database in
            let items = database.collection("items")
            let unknown = #expect(throws: MongoError.self) { try database.command(["noSuchCommand": 1]) }
            #expect(unknown?.kind == .command(code: 59))
            let filter = #expect(throws: MongoError.self) { try items.find(["$no": 1]) }
            #expect(filter?.kind == .command(code: 2))
            let update = #expect(throws: MongoError.self) { try items.updateOne([:], ["n": 1]) }
            #expect(update?.kind == .invalidArgument)
            let limit = #expect(throws: MongoError.self) { try items.find([:], limit: -1) }
            #expect(limit?.kind == .invalidArgument)
            try items.insertOne(["_id": 1])
            let slow = #expect(throws: MongoError.self) {
                try items.find(["$where": "sleep(1000) || true"], options: ["maxTimeMS": 50])
            }
            #expect(slow?.kind == .timedOut)
        }
    }

    @Test func `A view is read like a collection, and is not among their names`() async throws {
        let client = try await MongoServer.shared.client()
        try await client.run { database in
            try database.collection("items").insertMany([["_id": 1, "kept": true], ["_id": 2]])
            let pipeline: BSONValue = [["$match": ["kept": true]], ["$project": ["kept": 0]]]
            try database.createCollection("view", options: ["viewOn": "items", "pipeline": pipeline])
            #expect(try database.collection("view").find([:]) == [["_id": 1]])
            // The server keeps the definitions of views in a collection.
            #expect(try database.collectionNames().sorted() == ["items", "system.views"])
            try database.drop()
        }
    }

    @Test func `A clustered collection stores in the order of its IDs`() async throws {
        let client = try await MongoServer.shared.client()
        try await client.run { database in
            let clustered: BSONDocument = ["clusteredIndex": ["key": ["_id": 1], "unique": true]]
            try database.createCollection("receipts", options: clustered)
            let receipts = database.collection("receipts")
            try receipts.insertMany([3, 1, 2].map { ["_id": .binary([$0])] })
            #expect(try receipts.find([:]).map { $0["_id"]?.binaryValue } == [[1], [2], [3]])
            let again = #expect(throws: MongoError.self) { try receipts.insertOne(["_id": .binary([1])]) }
            #expect(again?.kind == .duplicateKey)
            #expect(try database.collectionNames() == ["receipts"])
            let exists = #expect(throws: MongoError.self) { try database.createCollection("receipts") }
            #expect(exists?.kind == .command(code: 48))
            try receipts.drop()
            try receipts.drop()
            #expect(try database.collectionNames().isEmpty)
            try database.drop()
        }
    }
}
