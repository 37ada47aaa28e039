import Domain
import GRDB
import Mongo
import TestSupport
import Testing

@testable import Storage

/// Stores that recorded the migrations of 0.1.0, which the baseline replaces, or only some of them.
@Suite struct BaselineTests {
    @Test func `A file of 0.1.0 gets the later migrations only, from eight processes at once`() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path("happiness.sqlite")
            let stores = try SQLiteStorage.open(path: path)
            let database = try #require(stores.system as? SQLiteSystemStore).database
            try await database.onThread { try SQLiteMigrations.migrator.migrate($0, upTo: Baseline.name) }
            try await Self.record(SQLiteMigrations.replaced, in: database)
            try await database.write { try $0.execute(sql: Self.people) }
            try await stores.system.requireKnownSchema()
            #expect(try await stores.system.migrations().filter(\.isApplied).map(\.name) == [Baseline.name])

            let ran = try await concurrently(8) { _ in
                let stores = try SQLiteStorage.open(path: path)
                let ran = try await stores.system.migrate()
                try await stores.system.close()
                return ran
            }
            let later = SQLiteMigrations.migrator.migrations.filter { $0 != Baseline.name }
            #expect(Set(ran.flatMap { $0 }) == Set(later))
            #expect(try await stores.system.migrations().allSatisfy { $0.isApplied })
            #expect(try await stores.system.migrate().isEmpty)
            try await Self.expectFound(in: stores)
            try await stores.system.close()
        }
    }

    /// A person and a team of 0.1.0.
    private static let people = """
        INSERT INTO users (id, name, foldedName, email, foldedEmail, role, isDisabled, locale, createdOn) VALUES (
            '00000000000000000000000000000001', 'Hanna Müller', 'hanna müller', 'h@example.org', 'h@example.org',
            'member', 0, 'und', '2026-01-08');
        INSERT INTO teams (
            id, name, foldedName, calendar, timeZone, threshold, policy, graceDays, feedbackReaders, memberCount,
            publicationNumber
        ) VALUES (
            '00000000000000000000000000000002', 'Team Köln', 'team köln', 'isoFortnight', 'UTC', 3, 'live', 0, 'team',
            0, 0);
        """

    private static func expectFound(in stores: Stores) async throws {
        let (person, team) = (try #require(NameSearch("mueller")), try #require(NameSearch("koeln")))
        let users = try await stores.read { try $0.users(matching: person, after: nil, limit: 9) }
        let teams = try await stores.read { try $0.teams(matching: team, after: nil, limit: 9) }
        #expect(users.map(\.name) == ["Hanna Müller"] && teams.map(\.name) == ["Team Köln"])
    }

    @Test(arguments: [[], ["0026-imported-sprints"]])
    func `A file between versions is rejected, and the missing migrations are named`(later: [String]) async throws {
        try await SQLiteFile.with { file in
            let database = try #require(file.stores.system as? SQLiteSystemStore).database
            let missing = ["0024-accepted-ballots", "0025-commitments"]
            let recorded = SQLiteMigrations.replaced.subtracting(missing).union(later)
            try await Self.record(recorded, in: database)
            await expectMismatch(missing, in: file.stores)
            #expect(Set(try await file.texts("SELECT identifier FROM grdb_migrations")) == recorded)
        }
    }

    @Test(.needsMongod) func `A database of 0.1.0 gets the later migrations only`() async throws {
        let fixture = try await MongoFixture.make()
        try await Self.record(MongoSchema.replaced, in: fixture)
        try await fixture.stores.insert(
            User(name: try UserName("Hanna Müller"), email: try EmailAddress("h@example.org")))
        try await fixture.stores.insert(Team(name: "Team Köln", settings: TeamSettings()))
        try await fixture.client.run { database in
            for name in ["users", "teams"] {
                try database.collection(name).updateMany([:], ["$unset": ["searchText": ""]])
            }
        }
        try await fixture.stores.system.requireKnownSchema()
        #expect(try await fixture.stores.system.migrations().filter(\.isApplied).map(\.name) == [Baseline.name])
        let later = MongoSchema.all.map(\.name).filter { $0 != Baseline.name }
        #expect(try await fixture.stores.system.migrate() == later)
        #expect(try await fixture.stores.system.migrations().allSatisfy { $0.isApplied })
        #expect(try await fixture.stores.system.migrate().isEmpty)
        try await Self.expectFound(in: fixture.stores)
    }

    @Test(.needsMongod, arguments: [[], ["0027-revocations"]])
    func `A database between versions is rejected, and the missing migrations are named`(later: [String])
        async throws
    {
        let fixture = try await MongoFixture.make()
        let missing = ["0023-sealed-ballots", "0025-commitments"]
        let recorded = MongoSchema.replaced.subtracting(missing).union(later)
        try await Self.record(recorded, in: fixture)
        await expectMismatch(missing, in: fixture.stores)
        #expect(Set(try await fixture.documents(of: "migrations").compactMap { $0["_id"]?.stringValue }) == recorded)
    }

    private func expectMismatch(_ missing: [String], in stores: Stores) async {
        let expected = Baseline.Mismatch(missing: missing)
        #expect("\(expected)".contains(missing.joined(separator: ", ")) && "\(expected)".contains("version 0.1.0"))
        await #expect(throws: expected) { try await stores.system.migrate() }
        await #expect(throws: expected) { try await stores.system.requireKnownSchema() }
        await #expect(throws: expected) { _ = try await stores.system.migrations() }
    }

    /// Replaces what the file has recorded.
    private static func record(_ names: Set<String>, in database: SQLiteDatabase) async throws {
        try await database.write { db in
            try db.execute(sql: "DELETE FROM grdb_migrations")
            for name in names {
                try db.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES (?)", arguments: [name])
            }
        }
    }

    /// Replaces what the database has recorded.
    private static func record(_ names: Set<String>, in fixture: MongoFixture) async throws {
        try await fixture.client.run { database in
            let migrations = database.collection("migrations")
            _ = try migrations.deleteMany([:])
            try migrations.insertMany(names.map { ["_id": .string($0)] })
        }
    }
}
