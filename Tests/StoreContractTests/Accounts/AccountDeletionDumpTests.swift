import Foundation
import GRDB
import Mongo
import TestSupport
import Testing

@testable import Storage

/// The data of a user that remains in a store after they have deleted their account.
@Suite struct AccountDeletionDumpTests {
    @Test func `Nothing of the person is left in the SQLite file`() async throws {
        try await SQLiteFile.with { file in
            try await Self.deleteAndSearch(file.stores) {
                try await file.bytes()
            } results: {
                try await file.onWriter { db in
                    try ["happiness", "feedback"].map { table in
                        try Row.fetchAll(db, sql: "SELECT * FROM \(table)").map(\.description).joined(separator: "\n")
                    }
                }
            } failures: {
                try await file.texts("SELECT hex(key) FROM loginFailures").count
            }
        }
    }

    @Test(.needsMongod) func `Nothing of the person is left in any MongoDB collection`() async throws {
        let fixture = try await MongoFixture.make()
        try await Self.deleteAndSearch(fixture.stores) {
            let names = try await fixture.client.run { database in
                try database.command(["listCollections": 1, "nameOnly": true]).document("cursor")["firstBatch"]?
                    .arrayValue?.compactMap { $0.documentValue?["name"]?.stringValue } ?? []
            }
            #expect(names.count >= 12)
            var dump = Data()
            for name in names {
                for document in try await fixture.documents(of: name) { dump += Data(document.bytes) }
            }
            return dump
        } results: {
            var documents: [String] = []
            for name in ["happiness", "feedback"] {
                documents += try await fixture.documents(of: name).map { Data($0.bytes).base64EncodedString() }
            }
            return documents
        } failures: {
            try await fixture.documents(of: "loginFailures").count
        }
    }

    /// - Parameters:
    ///   - dump: all bytes that are stored.
    ///   - results: tallies, publications and feedback, byte for byte.
    ///   - failures: number of stored counters of failed logins.
    private static func deleteAndSearch(
        _ stores: Stores, dump: () async throws -> Data, results: () async throws -> [String],
        failures: () async throws -> Int
    ) async throws {
        try await TemporaryDirectory.with { directory in
            let person = try await UserWithTraces.make(in: stores, directory)
            try await deleteAndSearch(person, stores, dump: dump, results: results, failures: failures)
        }
    }

    private static func deleteAndSearch(
        _ person: UserWithTraces, _ stores: Stores, dump: () async throws -> Data,
        results: () async throws -> [String], failures: () async throws -> Int
    ) async throws {
        let traces = person.traces
        let before = try await dump()
        for (what, bytes) in traces {
            #expect(before.range(of: bytes) != nil, "the search does not find an existing \(what)")
        }
        #expect(try await failures() == 4)
        let stored = try await results()
        #expect(try await person.objects.list(prefix: "", after: nil, limit: 10).count == 4)

        try await person.deleteAccount()
        #expect(try await stores.removeAccountTraces(of: person) == 1)

        let after = try await dump()
        for (what, bytes) in traces {
            #expect(after.range(of: bytes) == nil, "\(what)")
        }
        // The counter of the network address, which identifies no one.
        #expect(try await failures() == 1)
        #expect(try await results() == stored)
        #expect(try await person.objects.list(prefix: "", after: nil, limit: 10).isEmpty)
    }
}
