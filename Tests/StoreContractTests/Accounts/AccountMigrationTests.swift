import Foundation
import GRDB
import Mongo
import Services
import TestSupport
import Testing

@testable import Storage

/// Accounts and invitations created before the migrations that changed their stored form.
@Suite struct AccountMigrationTests {
    private static let id = User.ID.random()

    @Test func `An older SQLite file keeps its accounts`() async throws {
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

    @Test(.needsMongod) func `An older MongoDB database keeps its accounts`() async throws {
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

    @Test func `Pending invitations of an older SQLite file stay and are unique per team`() async throws {
        try await TemporaryDirectory.with { directory in
            let stores = try SQLiteStorage.open(path: directory.path("happiness.sqlite"))
            let database = try #require(stores.system as? SQLiteSystemStore).database
            try await database.onThread { try SQLiteMigrations.migrator.migrate($0, upTo: "0002-accounts") }
            try await database.write { db in
                try db.change(
                    """
                    INSERT INTO invitations (id, email, emailFolded, role, team, teamRole, locale, sent)
                    VALUES (?, 'Anna@example.org', 'anna@example.org', 'member', NULL, 'member', 'en', '2026-01-08')
                    """,
                    [Self.id.description])
            }
            try await expectInvitation(in: stores)
            try await stores.system.close()
        }
    }

    @Test(.needsMongod)
    func `Pending invitations of an older MongoDB database stay and are unique per team`() async throws {
        let fixture = try await MongoFixture.make()
        try await fixture.client.run { database in
            let invitations = database.collection("invitations")
            try invitations.dropIndex(name: "foldedEmail-team")
            try invitations.createIndex(["foldedEmail": 1], name: "foldedEmail", unique: true)
            try invitations.insertOne([
                "_id": .string(Self.id.description), "email": "Anna@example.org", "foldedEmail": "anna@example.org",
                "role": "member", "teamRole": "member", "locale": "en", "sent": "2026-01-08",
            ])
            try database.collection("migrations").deleteOne(["_id": "0004-invitations-per-team"])
        }
        try await expectInvitation(in: fixture.stores)
    }

    private func expectInvitation(in stores: Stores) async throws {
        #expect(try await stores.system.migrate().contains("0004-invitations-per-team"))
        let invitation = try #require(try await stores.invitations.list(email: "anna@example.org").first)
        #expect(invitation.id.description == Self.id.description)
        #expect(invitation.inviterID == nil)
        let other = Invitation(
            email: "anna@example.org", role: .member, teamID: try await stores.makeTeam().id, teamRole: .member,
            locale: "en",
            sent: invitation.sent)
        try await stores.invitations.insert(other)
        #expect(try await stores.invitations.list(email: "anna@example.org").count == 2)
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
