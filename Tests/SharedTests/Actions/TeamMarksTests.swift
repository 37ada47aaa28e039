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
            let actions = CountingActionStore(stores.actions)
            let cache = TeamMarksCache(actions: actions, clock: clock.wall)
            func titles() async throws -> [String] {
                clock.advance(by: 1)
                return try await cache.marks(of: team.id).marks.flatMap(\.titles)
            }
            for _ in 1...3 { #expect(try await titles().isEmpty) }
            #expect(actions.listsRead == 1)

            var action = Action(
                teamID: team.id, content: ActionContent(title: "Shorter daily"), state: .done, made: Self.sprint,
                began: Self.sprint)
            try await stores.actions.insert(action, at: .last)
            for _ in 1...3 { #expect(try await titles() == ["Shorter daily"]) }
            action.content.title = "No daily"
            action = try await stores.actions.update(action, at: nil)
            for _ in 1...3 { #expect(try await titles() == ["No daily"]) }
            try await stores.actions.delete(id: action.id, version: action.version)
            for _ in 1...3 { #expect(try await titles().isEmpty) }
            #expect(actions.listsRead == 4)
            let other = try await TestTeam.make(in: stores, members: 0).team
            #expect(try await cache.marks(of: other.id).number == 0)
        }
    }

    @Test func `A deleted team is not found`() async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            let cache = TeamMarksCache(actions: stores.actions, clock: WallClock { TestTeam.firstMonday })
            await #expect(throws: AppError.noSuchTeam) { try await cache.marks(of: .random()) }
        }
    }
}

/// A real store that counts the reads of begun actions.
private final class CountingActionStore: ActionStore {
    private let store: any ActionStore
    private let lists = Mutex(0)

    init(_ store: any ActionStore) {
        self.store = store
    }

    var listsRead: Int { lists.withLock { $0 } }

    func listBegun(teamID: Team.ID, in sprint: Date?, limit: Int) async throws -> [BegunAction] {
        lists.withLock { $0 += 1 }
        return try await store.listBegun(teamID: teamID, in: sprint, limit: limit)
    }

    func changeNumber(of teamID: Team.ID) async throws -> Int? { try await store.changeNumber(of: teamID) }
    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        try await store.transaction(body)
    }
    func find(id: Action.ID) async throws -> Action? { try await store.find(id: id) }
    func list(teamID: Team.ID, state: Action.State, limit: Int) async throws -> [Action] {
        try await store.list(teamID: teamID, state: state, limit: limit)
    }
    func list(assignee: User.ID) async throws -> [Action] { try await store.list(assignee: assignee) }
}
