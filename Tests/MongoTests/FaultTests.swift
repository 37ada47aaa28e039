import Mongo
import TestSupport
import Testing

@Suite(.needsMongod) struct FaultTests {
    @Test func `A replica set and a standalone server are told apart`() async throws {
        let replicaSet = try await MongoServer.shared.client()
        #expect(try await replicaSet.run { try $0.supportsTransactions() })
        let server = try await MongoServer.start(.standalone)
        defer { server.kill() }
        let standalone = try server.client()
        #expect(try await !standalone.run { try $0.supportsTransactions() })
        let error = await #expect(throws: MongoError.self) {
            try await standalone.run { database in
                try database.transaction { try database.collection("items").insertOne(["_id": 1], in: $0) }
            }
        }
        #expect(error?.kind == .command(code: 20))
    }

    @Test func `A client recovers by itself after the server was killed and restarted`() async throws {
        let server = try await MongoServer.start()
        defer { server.kill() }
        var options = MongoOptions()
        options.serverSelectionTimeoutMilliseconds = 2_500
        let client = try server.client(options: options)
        try await client.run { try $0.collection("items").insertOne(["_id": 1]) }
        server.kill()
        let error = await #expect(throws: MongoError.self) {
            try await client.run { try $0.collection("items").insertOne(["_id": 2]) }
        }
        #expect(error?.kind == .unreachable)
        try await server.restart()
        // The killed server's connections may cost one attempt; the next one must succeed.
        do { try await client.run { _ = try $0.hello() } } catch let error as MongoError {
            #expect(error.kind == .unreachable)
        }
        try await client.run { database in
            try database.transaction { try database.collection("items").insertOne(["_id": 3], in: $0) }
            #expect(try database.collection("items").find([:]).count == 2)
        }
    }

    @Test func `Nothing acknowledged is lost or doubled if the server is killed while writing`() async throws {
        let server = try await MongoServer.start()
        defer { server.kill() }
        let client = try server.client()
        try await client.run { try $0.collection("tallies").insertOne(["_id": 1, "n": 0]) }
        let acknowledged = try await withThrowingTaskGroup(of: [Int].self) { group in
            let (progress, report) = AsyncStream.makeStream(of: Int.self)
            for writer in 0..<4 {
                group.addTask {
                    var done: [Int] = []
                    for round in 0..<60 {
                        let id = writer * 1_000 + round
                        do {
                            try await client.run { database in
                                try database.transaction { transaction in
                                    try database.collection("receipts").insertOne(["_id": .int(id)], in: transaction)
                                    try database.collection("tallies").updateOne(
                                        ["_id": 1], ["$inc": ["n": 1]], in: transaction)
                                }
                            }
                            done.append(id)
                        } catch let error as MongoError where error.kind == .unreachable {
                            // Unknown, or not written: nothing was acknowledged.
                        }
                        report.yield(id)
                    }
                    return done
                }
            }
            var seen = 0
            for await _ in progress {
                seen += 1
                if seen == 40 { break }
            }
            server.kill()
            try await server.restart()
            return try await group.reduce(into: Set<Int>()) { $0.formUnion($1) }
        }
        let (receipts, tally) = try await client.run { database in
            let receipts = try database.collection("receipts").find([:]).compactMap { $0["_id"]?.intValue }
            return (Set(receipts), try database.collection("tallies").findOne([:])?["n"]?.intValue)
        }
        #expect(acknowledged.isSubset(of: receipts))
        #expect(tally == receipts.count)
        #expect(acknowledged.count > 100)
    }
}
