import Foundation
import GRDB
import Mongo
import TestSupport
import Testing

@testable import Shared

/// What becomes of accounts that were made before the second migration.
@Suite struct AccountMigrationTests {
    private static let id = User.ID.random()

    @Test func anOlderSQLiteFileKeepsItsAccounts() async throws {
        try await TemporaryDirectory.with { directory in
            let stores = try SQLiteStorage.open(path: directory.path("happiness.sqlite"))
            let database = try #require(stores.system as? SQLiteSystemStore).database
            try await database.onThread { try SQLiteMigrations.migrator.migrate($0, upTo: "0001-first-tables") }
            try await database.write { db in
                try db.change(
                    """
                    INSERT INTO users (id, name, nameFolded, email, emailFolded, role, isDisabled, locale)
                    VALUES (?, 'Anna', 'anna', 'anna@example.org', 'anna@example.org', 'member', 0, 'en')
                    """,
                    [Self.id.description])
            }
            try await expectUpgrade(of: stores)
            try await stores.system.close()
        }
    }

    @Test func anOlderMongoDatabaseKeepsItsAccounts() async throws {
        let fixture = try await MongoFixture.make()
        try await fixture.client.run { database in
            try database.collection("users").insertOne([
                "_id": .string(Self.id.description), "name": "Anna", "foldedName": "anna",
                "email": "anna@example.org", "foldedEmail": "anna@example.org", "role": "member",
                "isDisabled": false, "locale": "en",
            ])
            try database.collection("migrations").deleteMany(["_id": ["$ne": "0001-first-schema"]])
        }
        try await expectUpgrade(of: fixture.stores)
    }

    private func expectUpgrade(of stores: Stores) async throws {
        let before = CalendarDay(instant: Date(), in: .gmt)
        #expect(try await stores.system.migrate().contains("0002-accounts"))
        let after = CalendarDay(instant: Date(), in: .gmt)
        let user = try #require(try await stores.users.find(id: Self.id))
        #expect(user.notifications == NotificationSettings())
        #expect(user.pendingEmail == nil)
        #expect((before...after).contains(user.createdOn))
    }
}
