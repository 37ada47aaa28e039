import Domain
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
        try await stores.insert(action, at: .last)
        try await remove(people[0])
        action.state = .done
        action = try await stores.update(action, at: .first)
        #expect(action.version == 4)
        action.content.assignee = people[1].id
        action = try await stores.update(action, at: nil)
        action.content.assignee = people[0].id
        await expectRejection(.unprocessable, reason: .assigneeNotInTeam) { [action] in
            _ = try await stores.update(action, at: nil)
        }
    }

    @Test(.needsMongod) func `Removing a deleted account's traces finds what is left in MongoDB`() async throws {
        let fixture = try await MongoFixture.make()
        let stores = fixture.stores
        try await TemporaryDirectory.with { directory in
            let person = try await UserWithTraces.make(in: stores, directory)
            let (mine, other) = (try await stores.makeTeam("mine"), try await stores.makeUser("other"))
            for user in [person.user, other] {
                try await stores.add(Membership(teamID: mine.id, userID: user.id))
                try await stores.insert(action(of: mine, assignee: user), at: .last)
            }
            let before = try await fixture.documents(of: "actions")
            try await person.deleteAccount()
            try await fixture.client.run { database in
                for document in before {
                    try database.collection("actions").replaceOne(
                        ["_id": document["_id"] ?? .null], document, upsert: false)
                }
            }
            #expect(try await !stores.read { try $0.actions(assignedTo: person.user.id) }.isEmpty)
            #expect(try await stores.removeAccountTraces(of: person) == 1)
            #expect(try await stores.read { try $0.actions(assignedTo: person.user.id) }.isEmpty)
            let actions = try await stores.read { try $0.actions(of: mine.id, state: .onHold, limit: 10) }
            #expect(actions.map(\.content.assignee) == [nil, other.id] && actions.map(\.version) == [4, 3])
        }
    }
}
