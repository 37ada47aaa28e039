import Foundation
import GRDB
import Mongo
import Services
import TestSupport
import Testing

@testable import Storage

/// A process older than actions removes users while a newer one runs at the same time.
@Suite struct OlderProcessActionTests {
    private static let sprint = ActionSprint(start: Instants.start, label: SprintLabel(year: 2026, number: 1))

    private func action(of team: Team, assignee: User) -> Action {
        Action(
            teamID: team.id,
            content: ActionContent(
                title: "Shorter daily", notes: "One\nTwo", quote: "Too many", quoteReaders: .team,
                assignee: assignee.id,
                due: CalendarDay("2026-02-28")),
            state: .onHold, made: Self.sprint, began: Self.sprint, version: 3)
    }

    @Test func `An SQLite file keeps its actions and lets their assignees leave`() async throws {
        try await TemporaryDirectory.with { directory in
            let stores = try SQLiteStorage.open(path: directory.path("happiness.sqlite"))
            let database = try #require(stores.system as? SQLiteSystemStore).database
            try await database.onThread { try SQLiteMigrations.migrator.migrate($0, upTo: "0013-own-texts") }
            // As the programs of that time wrote them.
            try await database.write { db in
                for id in ["a", "b"] {
                    let user = String(repeating: id, count: 32)
                    try db.change(
                        """
                        INSERT INTO users (id, name, nameFolded, email, emailFolded, role, isDisabled, locale)
                        VALUES (?1, ?1, ?1, ?1, ?1, 'member', 0, 'en')
                        """, [user])
                    try db.change(
                        """
                        INSERT INTO teams VALUES (?1, ?1, ?1, 'weeks', 'UTC', 3, 'live', 0, 'team', 1, 7, NULL)
                        """, [user])
                    for number in 0..<3 {
                        try db.change(
                            """
                            INSERT INTO actions VALUES (
                                ?1 || ?2, ?1, '''; --', 'notes', 'quote', 'leads', ?1, '2026-02-28', 'onHold', ?2, 100,
                                '2026/1', 100, '2026/1', 3)
                            """, [user, number])
                    }
                }
            }
            func read(_ sql: String) async throws -> [String] {
                try await database.pool.read { db in try Row.fetchAll(db, sql: sql).map { "\($0)" } }
            }
            let rows = try await read("SELECT * FROM actions ORDER BY id")
            #expect(try await stores.system.migrate().contains("0014-released-actions"))
            #expect(rows.count == 6)
            #expect(try await read("SELECT * FROM actions ORDER BY id") == rows)
            #expect(try await read("PRAGMA foreign_key_check").isEmpty)
            let indexes = try await database.pool.read {
                try String.fetchSet($0, sql: "SELECT name FROM pragma_index_list('actions') WHERE origin = 'c'")
            }
            #expect(indexes == ["actionsByAssignee", "actionsByBeginning", "actionsByColumn"])
            let team = try #require(Team.ID(String(repeating: "a", count: 32)))
            #expect(try await stores.actions.changeNumber(of: team) == 0)
            // An older process deletes the account like this.
            try await database.write { db in
                try db.change("DELETE FROM users WHERE id = ?", [String(repeating: "a", count: 32)])
            }
            let nobodys = try await database.pool.read {
                try String.fetchAll($0, sql: "SELECT id FROM actions WHERE assignee IS NULL ORDER BY id")
            }
            #expect(nobodys == (0..<3).map { String(repeating: "a", count: 32) + "\($0)" })
            try await stores.system.close()
        }
    }

    @Test func `An assignee removed from a team on SQLite keeps nobody from the action`() async throws {
        try await SQLiteFile.with { file in
            try await expectOthersGoOn(in: file.stores) { user in
                try await file.onWriter {
                    try $0.execute(sql: "DELETE FROM memberships WHERE user = ?", arguments: [user.id.description])
                }
            }
        }
    }

    @Test(.needsMongod) func `An assignee removed from a team on MongoDB keeps nobody from the action`() async throws {
        let fixture = try await MongoFixture.make()
        try await expectOthersGoOn(in: fixture.stores) { user in
            try await fixture.client.run {
                _ = try $0.collection("memberships").deleteMany(["user": .string(user.id.description)])
            }
        }
    }

    /// - Parameter remove: removes a user from their teams without touching actions.
    private func expectOthersGoOn(in stores: Stores, remove: (User) async throws -> Void) async throws {
        let team = try await stores.makeTeam()
        let people = try await stores.makeVoters(2, in: team).map(\.user)
        var action = action(of: team, assignee: people[0])
        try await stores.actions.insert(action, at: .last)
        try await remove(people[0])
        action.state = .done
        action = try await stores.actions.update(action, at: .first)
        #expect(action.version == 4)
        action.content.assignee = people[1].id
        action = try await stores.actions.update(action, at: nil)
        action.content.assignee = people[0].id
        await expectRefusal(.refused, reason: "assignee-not-in-team") { [action] in
            _ = try await stores.actions.update(action, at: nil)
        }
    }

    @Test(.needsMongod) func `Removing a deleted account's traces finds what is left in MongoDB`() async throws {
        let fixture = try await MongoFixture.make()
        let stores = fixture.stores
        try await TemporaryDirectory.with { directory in
            let person = try await PersonWithTraces.make(in: stores, directory)
            let (mine, other) = (try await stores.makeTeam("mine"), try await stores.makeUser("other"))
            for user in [person.user, other] {
                try await stores.teams.add(Membership(teamID: mine.id, userID: user.id))
                try await stores.actions.insert(action(of: mine, assignee: user), at: .last)
            }
            let before = try await fixture.documents(of: "actions")
            try await person.deleteAccount()
            try await fixture.client.run { database in
                for document in before {
                    try database.collection("actions").replaceOne(
                        ["_id": document["_id"] ?? .null], document, upsert: false)
                }
            }
            #expect(try await !stores.actions.list(assignee: person.user.id).isEmpty)
            #expect(try await stores.removeAccountTraces(of: person) == 1)
            #expect(try await stores.actions.list(assignee: person.user.id).isEmpty)
            let actions = try await stores.actions.list(teamID: mine.id, state: .onHold, limit: 10)
            #expect(actions.map(\.content.assignee) == [nil, other.id] && actions.map(\.version) == [4, 3])
        }
    }
}
