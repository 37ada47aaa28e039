import Domain
import Foundation
import Ports
import Services
import Storage
import Synchronization
import TestSupport
import Testing

/// A team's marks, cached in front of a real store's actions.
@Suite struct TeamMarksTests {
    private static let sprint = ActionSprint(start: TestTeam.firstMonday, label: SprintLabel(year: 2026, number: 1))

    @Test(arguments: StoreUnderTest.all)
    func `Actions are read again only when one of them has changed`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            let team = try await TestTeam.make(in: stores, members: 0).team
            let clock = SettableClock(TestTeam.firstMonday)
            let counted = CountingStore(stores.rows)
            let cache = TeamMarksCache(store: counted, clock: clock.wall)
            func titles() async throws -> [String] {
                clock.advance(by: 1)
                return try await cache.marks(of: team.id).marks.flatMap(\.titles)
            }
            for _ in 1...3 { #expect(try await titles().isEmpty) }
            // The change number each time, and the actions once.
            #expect(counted.reads == 3 + 1)

            var action = Action(
                teamID: team.id, content: ActionContent(title: "Shorter daily"), state: .done, made: Self.sprint,
                began: Self.sprint)
            try await stores.insert(action, at: .last)
            for _ in 1...3 { #expect(try await titles() == ["Shorter daily"]) }
            action.content.title = "No daily"
            action = try await stores.update(action, at: nil)
            for _ in 1...3 { #expect(try await titles() == ["No daily"]) }
            try await stores.transaction { [action] rows in try rows.deleteAction(action.id, version: action.version) }
            for _ in 1...3 { #expect(try await titles().isEmpty) }
            #expect(counted.reads == 4 * (3 + 1))
            let other = try await TestTeam.make(in: stores, members: 0).team
            #expect(try await cache.marks(of: other.id).number == 0)
        }
    }

    @Test func `A deleted team is not found`() async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            let cache = TeamMarksCache(store: stores.rows, clock: WallClock { TestTeam.firstMonday })
            await #expect(throws: AppError.noSuchTeam) { try await cache.marks(of: .random()) }
        }
    }
}
