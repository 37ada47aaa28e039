import Foundation
import Mongo
import TestSupport
import Testing

@Suite(.needsMongod) struct ClientTests {
    @Test(arguments: [
        "", "happiness", "http://localhost/db", "mongodb://", "mongodb:///db", "mongodb://user:se/cret@host/db",
        "mongodb://user:secret@ho st:99999999/db", "mongodb://host/", "mongodb://host", "mongodb://host/a\0b",
        "mongodb://user:secret%zz@host/db",
    ])
    func `An unusable URI is refused without quoting it`(_ uri: String) {
        let error = #expect(throws: MongoError.self) { try MongoClient(uri: uri) }
        #expect(error?.kind == .invalidArgument)
        #expect(error?.operatorMessage.contains("cret") == false)
    }

    @Test func `The database is the URI's or the default`() throws {
        let options = MongoOptions()
        #expect(try MongoClient(uri: "mongodb://127.0.0.1:1/one", options: options).databaseName == "one")
        #expect(try MongoClient(uri: "mongodb://127.0.0.1:1", defaultDatabaseName: "two").databaseName == "two")
    }

    /// A read that a change of primary could roll back would report a lost ballot as cast; a secondary may lag behind.
    /// The set has no secondary, so a read that required one would fail.
    @Test func `Writes stay confirmed and reads stay safe, whatever the URI says`() async throws {
        let weak = "readPreference=secondary&readConcernLevel=local&w=1&journal=false&appName=other"
        let uri = try await MongoServer.shared.uri() + "&" + weak
        try await MongoClient(uri: uri).run { database in
            _ = try database.command(["profile": 2])
            let items = database.collection("items")
            try items.insertOne(["_id": 1])
            #expect(try items.find([:]).count == 1)
            #expect(try items.aggregate([["$match": [:]]]).count == 1)
            #expect(try items.count() == 1)
            _ = try database.command(["profile": 0])
            let noted = try database.collection("system.profile").find(["ns": .string("\(database.name).items")])
            #expect(noted.count == 4)
            for entry in noted {
                let command = try #require(entry["command"]?.documentValue)
                #expect(entry["appName"]?.stringValue == MongoOptions().appName)
                if command["insert"] == nil {
                    #expect(command["readConcern"]?.documentValue?["level"]?.stringValue == "majority")
                } else {
                    let concern = try #require(command["writeConcern"]?.documentValue)
                    #expect(concern["w"]?.stringValue == "majority" && concern["j"]?.boolValue == true)
                }
            }
        }
    }

    @Test func `An unreachable server is reported within the selection timeout`() async throws {
        var options = MongoOptions()
        options.serverSelectionTimeoutMilliseconds = 300
        let client = try MongoClient(uri: "mongodb://127.0.0.1:1/db?replicaSet=rs0", options: options)
        let start = ContinuousClock.now
        for call in [
            { (database: MongoDatabase) in _ = try database.hello() },
            { try $0.collection("items").insertOne(["_id": 1]) },
            { _ = try $0.collection("items").find([:]) },
            { _ = try $0.collection("items").count() },
            { _ = try $0.collection("items").findOneAndUpdate([:], ["$inc": ["n": 1]]) },
            { _ = try $0.collectionNames() },
            { database in try database.transaction { try database.collection("items").insertOne([:], in: $0) } },
        ] as [@Sendable (MongoDatabase) throws -> Void] {
            let error = await #expect(throws: MongoError.self) { try await client.run(call) }
            #expect(error?.kind == .unreachable)
        }
        // Seven calls of 0.3 s, which wait for a thread while other tests compute. The driver's default would be 30 s each.
        #expect(ContinuousClock.now - start < .seconds(100))
    }

    @Test func `Many tasks share the pool`() async throws {
        var options = MongoOptions()
        options.poolSize = 4
        let client = try await MongoServer.shared.client(options: options)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in 0..<64 {
                group.addTask {
                    try await client.run { try $0.collection("items").insertOne(["_id": .int(id)]) }
                    let found = try await client.run { try $0.collection("items").findOne(["_id": .int(id)]) }
                    #expect(found == ["_id": .int(id)])
                }
            }
            try await group.waitForAll()
        }
        #expect(try await client.run { try $0.collection("items").count() } == 64)
    }

    /// On the cooperative pool, which has one thread per processor, these bodies would leave none for this test.
    @Test func `Bodies that block leave the cooperative pool free`() async throws {
        let count = ProcessInfo.processInfo.activeProcessorCount * 2
        var options = MongoOptions()
        options.poolSize = count
        options.blockingPoolSize = 1
        let client = try await MongoServer.shared.client(options: options)
        let release = DispatchSemaphore(value: 0)
        let (entered, report) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask {
                    try await client.run { _ in
                        report.yield()
                        release.wait()
                    }
                }
            }
            var blocked = entered.makeAsyncIterator()
            for _ in 0..<count { await blocked.next() }
            for _ in 0..<count { release.signal() }
            try await group.waitForAll()
        }
    }

    @Test func `Blocking calls work beside the pool`() async throws {
        let client = try await MongoServer.shared.client()
        let found: BSONDocument? = try await withCheckedThrowingContinuation { continuation in
            Thread {
                continuation.resume(
                    with: Result {
                        try client.runBlocking { database in
                            try database.collection("items").insertOne(["_id": 1])
                            return try database.collection("items").findOne([:])
                        }
                    })
            }.start()
        }
        #expect(found == ["_id": 1])
    }

    @Test func `A full queue and a long wait are reported as unreachable`() async throws {
        var options = MongoOptions()
        options.poolSize = 1
        options.waitQueueLimit = 1
        options.waitQueueTimeoutMilliseconds = 100
        let client = try await MongoServer.shared.client(options: options)
        let (entered, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let first: Void = client.run { _ in
            entered.signal()
            release.wait()
        }
        await wait(for: entered)
        await withTaskGroup(of: MongoError.Kind?.self) { group in
            for _ in 0..<2 { group.addTask { await self.kind { try await client.run { try $0.hello() } } } }
            // One fails immediately because the other is already waiting.
            #expect(await group.next() == .unreachable)
            let tooLate = ContinuousClock.now + .milliseconds(100)
            while ContinuousClock.now <= tooLate { await Task.yield() }
            release.signal()
            #expect(await group.next() == .unreachable)
        }
        try await first
        #expect(try await client.run { try $0.hello() }["ok"]?.doubleValue == 1)
    }

    @Test func `A closed client is unreachable, and its queue is served first`() async throws {
        let client = try await MongoServer.shared.client()
        async let last = client.run { try $0.hello() }
        _ = try await last
        await onAThread { client.close() }
        #expect(await kind { try await client.run { try $0.hello() } } == .unreachable)
        let error = #expect(throws: MongoError.self) { try client.runBlocking { try $0.hello() } }
        #expect(error?.kind == .unreachable)
        await onAThread { client.close() }
    }

    @Test func `A call without an answer in time is reported as unreachable`() async throws {
        let server = try await MongoServer.shared
        let name = MongoServer.uniqueDatabaseName()
        let patient = try server.client(database: name)
        try await patient.run { try $0.collection("items").insertOne(["_id": 1]) }
        let impatient = try MongoClient(uri: server.uri(database: name) + "&socketTimeoutMS=200")
        let result = await kind {
            try await impatient.run { try $0.collection("items").find(["$where": "sleep(2000) || true"]) }
        }
        #expect(result == .unreachable)
        #expect(try await patient.run { try $0.collection("items").count() } == 1)
    }

    private func kind<T>(_ body: () async throws -> T) async -> MongoError.Kind? {
        do {
            _ = try await body()
            return nil
        } catch {
            return (error as? MongoError)?.kind
        }
    }

    private func wait(for semaphore: DispatchSemaphore) async { await onAThread { semaphore.wait() } }

    private func onAThread(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            Thread {
                body()
                continuation.resume()
            }.start()
        }
    }
}
