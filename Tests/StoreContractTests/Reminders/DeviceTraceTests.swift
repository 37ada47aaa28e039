import Domain
import Foundation
import Mongo
import TestSupport
import Testing

/// An app may register its device at each start, right before its user votes: that must leave no trace.
@Suite struct DeviceTraceTests {
    @Test func `An unchanged value is not written to the SQLite file`() async throws {
        try await SQLiteFile.with { file in
            let voter = try await file.stores.makeStranger()
            let device = try await file.stores.makeDevice(of: voter)
            let before = try await file.bytes()
            #expect(try await file.stores.makeDevice(of: voter, device.address) == device)
            #expect(try await file.bytes() == before)
        }
    }

    @Test(.needsMongod) func `An unchanged value is not written to MongoDB`() async throws {
        let fixture = try await MongoFixture.make()
        let voter = try await fixture.stores.makeStranger()
        let device = try await fixture.stores.makeDevice(of: voter)
        // Every write of a registration also increments a counter in its session and its user.
        func documents() async throws -> [[BSONDocument]] {
            [
                try await fixture.documents(of: "devices"), try await fixture.documents(of: "sessions"),
                try await fixture.documents(of: "users"),
            ]
        }
        let before = try await documents()
        #expect(try await fixture.stores.makeDevice(of: voter, device.address) == device)
        #expect(try await documents() == before)
    }
}
