import Domain
import Foundation
import Mongo
import Storage
import TestSupport
import Testing

/// Schemas that `migrate` creates, and stores that it rejects.
@Suite(.needsMongod) struct MongoSchemaTests {
    @Test func `A standalone server is refused with the solution`() async throws {
        let server = try await MongoServer.start(.standalone)
        defer { server.kill() }
        let stores = try StoreLocation.mongodb(uri: server.uri()).open()
        do {
            _ = try await stores.system.migrate()
            Issue.record("a standalone server was accepted")
        } catch {
            let message = "\(error)"
            #expect(message.contains("mongod --replSet rs0"))
            #expect(message.contains("rs.initiate()"))
            #expect(message.contains("?replicaSet=rs0"))
        }
    }

    @Test func `An unusable URI is refused without repeating it`() throws {
        do {
            _ = try StoreLocation.mongodb(uri: "mongodb://user:secret@@host/happiness").open()
            Issue.record("an unusable URI was accepted")
        } catch {
            #expect("\(error)".contains("DATABASE_URL"))
            #expect(!"\(error)".contains("secret"))
        }
    }

    @Test func `Ballot collections are clustered on their IDs`() async throws {
        let fixture = try await MongoFixture.make()
        let reply = try await fixture.client.run { try $0.command(["listCollections": 1]) }
        let collections = reply["cursor"]?.documentValue?["firstBatch"]?.arrayValue?.compactMap(\.documentValue) ?? []
        for name in ["userSprints", "happiness", "feedback"] {
            let collection = collections.first { $0["name"]?.stringValue == name }
            let index = collection?["options"]?.documentValue?["clusteredIndex"]?.documentValue
            #expect(index?["key"]?.documentValue?.keys == ["_id"], "\(name) is not clustered")
        }
    }

    @Test func `A ballot collection that is not clustered is refused`() async throws {
        let server = try await MongoServer.shared
        let name = MongoServer.uniqueDatabaseName()
        try await server.client(database: name).run { try $0.collection("happiness").insertOne(["_id": 1]) }
        let stores = try StoreLocation.mongodb(uri: server.uri(database: name)).open()
        await #expect { try await stores.system.migrate() } throws: { "\($0)".contains("happiness") }
    }

    @Test(arguments: ["userSprints", "happiness", "feedback", "clientErrors", "deletions"])
    func `A collection that was restored without clustering is refused`(collection: String) async throws {
        let fixture = try await MongoFixture.make()
        try await fixture.client.run { database in
            try database.collection(collection).drop()
            try database.collection(collection).insertOne(["_id": 1])
        }
        await #expect { try await fixture.stores.system.migrate() } throws: { "\($0)".contains(collection) }
    }

    @Test func `Processes that migrate at once run each migration once`() async throws {
        let uri = try await MongoServer.shared.uri()
        let ran = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<6 {
                group.addTask { try await StoreLocation.mongodb(uri: uri).open().system.migrate() }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let system = try StoreLocation.mongodb(uri: uri).open().system
        let known = try await system.migrations()
        #expect(ran.sorted() == known.map(\.name).sorted())
        #expect(known.allSatisfy { $0.isApplied })
        #expect(try await system.migrate() == [])
    }

    @Test func `A store of a newer version is refused`() async throws {
        let fixture = try await MongoFixture.make()
        try await fixture.client.run { try $0.collection("migrations").insertOne(["_id": "9999-from-the-future"]) }
        await #expect { try await fixture.stores.system.migrate() } throws: {
            "\($0)".contains("9999-from-the-future")
        }
    }

    @Test func `Leasing reads no more jobs than are leased`() async throws {
        let fixture = try await MongoFixture.make()
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        for index in 0..<50 {
            _ = try await fixture.stores.jobs.enqueue(
                Job(kind: "mail", runAt: now.addingTimeInterval(Double(-index))))
        }
        _ = try await fixture.client.run { try $0.command(["profile": 2]) }
        let job = try await fixture.stores.jobs.lease(
            kinds: ["mail"], owner: "worker", at: now, until: now.addingTimeInterval(60))
        #expect(job?.runAt == now.addingTimeInterval(-49))
        let entries = try await fixture.documents(of: "system.profile")
        let lease = try #require(entries.first { $0["ns"]?.stringValue?.hasSuffix(".jobs") == true })
        #expect(lease["docsExamined"]?.intValue ?? .max <= 2)
    }
}
