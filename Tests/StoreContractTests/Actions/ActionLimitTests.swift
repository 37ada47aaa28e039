import Domain
import Foundation
import GRDB
import Mongo
import Services
import Storage
import TestSupport
import Testing

/// A team with the maximum number of actions: what it can do, and the cost.
@Suite struct ActionLimitTests {
    private static let sprint = ActionSprint(start: Instants.start, label: SprintLabel(year: 2026, number: 1))

    private func action(_ title: String, of team: Team, state: Action.State = .done) -> Action {
        Action(teamID: team.id, content: ActionContent(title: title), state: state, made: Self.sprint)
    }

    @Test func `A team with the most allowed actions in SQLite makes room first`() async throws {
        try await SQLiteFile.with { file in
            let team = try await file.stores.makeTeam()
            try await file.onWriter { db in
                try db.execute(
                    sql: """
                        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)
                        INSERT INTO actions SELECT
                            printf('%032x', n), ?2, 'old', '', NULL, 'leads', NULL, NULL, 'done', n, 0, '2026/1', NULL,
                            NULL, 1
                        FROM numbers
                        """, arguments: [Action.maximumKept - 1, team.id.description])
            }
            try await expectNoRoomForMore(in: team, of: file.stores)
        }
    }

    @Test(.needsMongod) func `A team with the most allowed actions in MongoDB makes room first`() async throws {
        let fixture = try await MongoFixture.make()
        let team = try await fixture.stores.makeTeam()
        try await fill(team, in: fixture)
        try await expectNoRoomForMore(in: team, of: fixture.stores)
    }

    private func expectNoRoomForMore(in team: Team, of stores: Stores) async throws {
        let (last, tooMany) = (action("last", of: team), action("too many", of: team))
        try await stores.insert(last, at: .first)
        for state in [Action.State.toDo, .done] {
            await expectRejection(.unprocessable, reason: .actionsFull) {
                try await stores.insert(action("too many", of: team, state: state), at: .last)
            }
        }
        // Existing actions can still be changed, and other teams are not affected.
        var opened = last
        opened.state = .toDo
        opened = try await stores.update(opened, at: .last)
        try await stores.insert(action("elsewhere", of: try await stores.makeTeam()), at: .last)
        try await stores.transaction { [opened] rows in try rows.deleteAction(opened.id, version: opened.version) }
        try await stores.insert(tooMany, at: .last)
        #expect(try await stores.action(tooMany.id) == tooMany)
    }

    @Test(.needsMongod) func `Making room in a long column is one operation of MongoDB`() async throws {
        let fixture = try await MongoFixture.make()
        let team = try await fixture.stores.makeTeam()
        // Consecutive ranks: there is no room in between.
        try await fill(team, in: fixture)
        let second = try #require(
            try await fixture.stores.read { try $0.actions(of: team.id, state: .done, limit: 2) }.last)
        try await fixture.client.run { _ = try $0.command(["profile": 2]) }
        try await fixture.stores.insert(action("between", of: team), at: .before(second.id))
        try await fixture.client.run { _ = try $0.command(["profile": 0]) }
        let writes = try await fixture.documents(of: "system.profile").filter {
            ["update", "insert"].contains($0["op"]?.stringValue ?? "")
                && $0["ns"]?.stringValue?.hasSuffix(".actions") == true
        }
        #expect(writes.map { $0["op"]?.stringValue } == ["update", "insert"])
        let titles = try await fixture.stores.read {
            try $0.actions(of: team.id, state: .done, limit: Action.maximumKept)
        }
        .map(\.content.title)
        #expect(titles == ["0", "between"] + (1..<(Action.maximumKept - 1)).map(String.init))
    }

    /// One action less than the maximum, in the column of finished ones.
    private func fill(_ team: Team, in fixture: MongoFixture) async throws {
        let documents = (0..<(Action.maximumKept - 1)).map { number -> BSONDocument in
            [
                "_id": .string(Action.ID.random().description), "team": .string(team.id.description),
                "title": .string("\(number)"), "notes": "", "quoteReaders": "leads", "state": "done",
                "made": ["start": .date(Instants.start), "label": "2026/1"], "version": 1, "rank": .int(number),
            ]
        }
        try await fixture.client.run { _ = try $0.collection("actions").insertMany(documents) }
    }
}
