import Domain
import Foundation
import GRDB
import Mongo
import TestSupport
import Testing

@testable import Storage

/// The cost of a page of ten thousand people, measured in rows read.
@Suite struct UserSearchCostTests {
    private static let people = 10_000
    private static let page = 50

    /// Names with common prefixes, in tens of a thousand; one in ten matches by the address only.
    private static func user(_ number: Int) throws -> User {
        let name = "\(number % 10)-\(number)"
        let email = number % 10 == 9 ? "8-\(number)" : "mail-\(number)"
        return User(name: try UserName(name), email: try EmailAddress("\(email)@example.org"))
    }

    @Test(.needsMongod) func `MongoDB reads one page and only matches`() async throws {
        let fixture = try await MongoFixture.make()
        let documents = try (0..<Self.people).map { try Self.user($0).document }
        try await fixture.client.run { try $0.collection("users").insertMany(documents) }

        func read(_ search: String?, after: String? = nil, finding count: Int = Self.page) async throws -> Int {
            try await fixture.client.run { database in
                try database.collection("system.profile").drop()
                _ = try database.command(["profile": 2])
            }
            let found = try await fixture.stores.read {
                try $0.users(matching: search.flatMap { NameSearch($0) }, after: after, limit: Self.page)
            }
            #expect(found.count == count)
            _ = try await fixture.client.run { try $0.command(["profile": 0]) }
            return try await fixture.documents(of: "system.profile")
                .filter { $0["ns"]?.stringValue?.hasSuffix(".users") == true }
                .reduce(0) { $0 + ($1["docsExamined"]?.intValue ?? 0) }
        }
        #expect(try await read(nil) == Self.page)
        #expect(try await read(nil, after: "9-") == Self.page)
        // Of the people who do not match, only the entries of the index.
        #expect(try await read("3", after: "5-") == Self.page)
        #expect(try await read("4321", finding: 1) == 1)
        #expect(try await read("mail 4321", finding: 1) == 1)
    }

    @Test func `SQLite reads the index and one page of the table`() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path("happiness.sqlite")
            let stores = try SQLiteStorage.open(path: path)
            _ = try await stores.system.migrate()
            try await stores.system.close()
            let search = try #require(NameSearch("a"))
            let plan = try await DatabaseQueue(path: path).read { db in
                try Row.fetchAll(
                    db, sql: "EXPLAIN QUERY PLAN \(Database.userSearchSQL(search))",
                    arguments: ["plain0": "a", "spelledOut0": "a", "after": "", "limit": Self.page]
                ).map { $0["detail"] as String? ?? "" }
            }
            let onTable = plan.filter { $0.contains(" users ") }
            #expect(onTable.count == 2)
            #expect(onTable.contains { $0.contains("COVERING INDEX usersBySearch (foldedName>?)") })
            #expect(onTable.contains { $0.hasPrefix("SEARCH") && $0.contains("PRIMARY KEY (id=?)") })
        }
    }
}
