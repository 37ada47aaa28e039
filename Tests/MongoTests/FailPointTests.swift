import Mongo
import TestSupport
import Testing

/// Errors returned by the server itself (https://github.com/mongodb/mongo/wiki/The-%22failCommand%22-fail-point).
/// Serialized, since a server has only one such fail point.
@Suite(.needsMongod, .serialized) struct FailPointTests {
    /// Unstructured, because the first test starts it for all others.
    private static let server = Task { try await MongoServer.start(testCommands: true) }

    @Test(
        arguments: [
            ["errorCode": 91, "errorLabels": ["RetryableWriteError"]],  // ShutdownInProgress
            ["closeConnection": true],
            ["writeConcernError": ["code": 64, "errmsg": "timed out"]],
        ] as [BSONDocument])
    func `A commit of unknown fate is repeated alone`(_ failure: BSONDocument) async throws {
        let client = try await client()
        try await client.run { database in
            let items = database.collection("items")
            try items.insertOne(["_id": 1, "n": 0])
            // Three times: the driver retries a commit once by itself.
            try fail(["commitTransaction"], times: 3, failure, on: database)
            var attempts = 0
            try database.transaction { transaction in
                attempts += 1
                try items.updateOne(["_id": 1], ["$inc": ["n": 1]], in: transaction)
            }
            #expect(attempts == 1)
            #expect(try items.findOne([:])?["n"]?.intValue == 1)
        }
    }

    @Test(arguments: [112, 251, 91, 11602])
    func `Transient errors repeat the whole transaction`(_ code: Int) async throws {
        let client = try await client()
        try await client.run { database in
            let items = database.collection("items")
            try items.insertOne(["_id": 1, "n": 0])
            let failure: BSONDocument = ["errorCode": .int(code), "errorLabels": ["TransientTransactionError"]]
            try fail(["update"], times: 2, failure, on: database)
            var attempts = 0
            try database.transaction { transaction in
                attempts += 1
                try items.updateOne(["_id": 1], ["$inc": ["n": 1]], in: transaction)
            }
            #expect(attempts == 3)
            #expect(try items.findOne([:])?["n"]?.intValue == 1)
        }
    }

    @Test(
        arguments: [(6, .unreachable), (50, .timedOut), (112, .transient), (13, .command(code: 13))]
            as [(Int, MongoError.Kind)])
    func `Codes become kinds`(_ code: Int, _ kind: MongoError.Kind) async throws {
        let client = try await client()
        try await client.run { database in
            // Without a retryable label, so that the driver returns it immediately, for a write as well as an
            // aggregation.
            try fail(["insert"], times: 1, ["errorCode": .int(code), "errorLabels": []], on: database)
            let error = #expect(throws: MongoError.self) { try database.collection("items").insertOne(["_id": 1]) }
            #expect(error?.kind == kind)
            #expect(error?.code == code)
        }
    }

    @Test func `A broken connection costs a retryable write nothing`() async throws {
        let client = try await client()
        try await client.run { database in
            let items = database.collection("items")
            try fail(["insert"], times: 1, ["closeConnection": true], on: database)
            try items.insertOne(["_id": 1])
            try fail(["find"], times: 1, ["closeConnection": true], on: database)
            #expect(try items.find([:]) == [["_id": 1]])
            try fail(["findAndModify"], times: 1, ["closeConnection": true], on: database)
            #expect(try items.findOneAndUpdate([:], ["$inc": ["n": 1]], returnNew: true)?["n"]?.intValue == 1)
        }
    }

    @Test func `A write that the majority did not confirm times out`() async throws {
        let client = try await client()
        try await client.run { database in
            let concern: BSONDocument = ["writeConcernError": ["code": 64, "errmsg": "waiting timed out"]]
            try fail(["insert"], times: 1, concern, on: database)
            let error = #expect(throws: MongoError.self) { try database.collection("items").insertOne(["_id": 1]) }
            #expect(error?.kind == .timedOut)
        }
    }

    /// Checks the server as often as the driver allows: after some of these errors it is considered unusable until
    /// then.
    private func client() async throws -> MongoClient {
        var options = MongoOptions()
        options.heartbeatMilliseconds = 500
        return try await Self.server.value.client(options: options)
    }

    private func fail(
        _ commands: [String], times: Int, _ failure: BSONDocument, on database: MongoDatabase
    ) throws {
        var data: BSONDocument = ["failCommands": .array(commands.map { .string($0) })]
        for (key, value) in failure { data.append(key, value) }
        _ = try database.adminCommand([
            "configureFailPoint": "failCommand", "mode": ["times": .int(times)], "data": .document(data),
        ])
    }
}
