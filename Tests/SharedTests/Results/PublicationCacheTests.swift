import Domain
import Foundation
import Services
import Storage
import Synchronization
import TestSupport
import Testing

/// The cache in front of a real store's publication numbers.
@Suite struct PublicationCacheTests {
    @Test func `A value is computed once while the number stays`() async throws {
        try await Self.withCache { fixture async throws in
            #expect(try await fixture.value("first") == "first")
            fixture.clock.advance(by: 100)
            #expect(try await fixture.value("second") == "first")
        }
    }

    @Test func `A publication is seen within a second`() async throws {
        try await Self.withCache { fixture async throws in
            #expect(try await fixture.value("before") == "before")
            try await fixture.publish()
            fixture.clock.advance(by: 0.999)
            #expect(try await fixture.value("after") == "before", "the number is cached for a second")
            fixture.clock.advance(by: 0.001)
            #expect(try await fixture.value("after") == "after")
        }
    }

    @Test func `However many look, the number is read once a second`() async throws {
        try await Self.withCache { fixture async throws in
            _ = try await fixture.value("any")
            let before = fixture.store.reads
            for _ in 1...10 {
                fixture.clock.advance(by: 1)
                try await withThrowingTaskGroup { group in
                    for _ in 0..<100 { group.addTask { _ = try await fixture.value("any") } }
                    try await group.waitForAll()
                }
            }
            #expect(fixture.store.reads - before == 10)
        }
    }

    @Test func `A reader that began before a publication does not store what it read`() async throws {
        try await Self.withCache { fixture async throws in
            let (isReading, began) = AsyncStream.makeStream(of: Void.self)
            let (mayGoOn, resume) = AsyncStream.makeStream(of: Void.self)
            async let slow = fixture.cache.value(of: fixture.teamID, key: "history") { _ in
                began.yield()
                for await _ in mayGoOn { break }
                return "old"
            }
            for await _ in isReading { break }
            try await fixture.publish()
            fixture.clock.advance(by: 1)
            #expect(try await fixture.value("new") == "new")
            resume.yield()
            #expect(try await slow == "old", "it answers the one who asked before")
            #expect(try await fixture.value("unused") == "new", "and nobody else")
        }
    }

    @Test func `Teams and keys do not mix`() async throws {
        try await Self.withCache { fixture async throws in
            let other = try await TestTeam.make(in: fixture.stores, members: 0)
            #expect(try await fixture.value("mine") == "mine")
            #expect(try await fixture.cache.value(of: other.team.id, key: "history") { _ in "theirs" } == "theirs")
            #expect(try await fixture.cache.value(of: fixture.teamID, key: "chart") { _ in "drawn" } == "drawn")
            #expect(try await fixture.value("unused") == "mine")
        }
    }

    @Test func `After an error, the next reader tries again`() async throws {
        try await Self.withCache { fixture async throws in
            await #expect(throws: StorageError.unavailable) {
                try await fixture.cache.value(of: fixture.teamID, key: "history") { _ in throw StorageError.unavailable
                }
            }
            #expect(try await fixture.value("there again") == "there again")

            fixture.clock.advance(by: 1)
            fixture.store.fail(with: .unavailable)
            await #expect(throws: StorageError.unavailable) { try await fixture.value("unused") }
            fixture.store.fail(with: nil)
            #expect(try await fixture.value("unused") == "there again")
        }
    }

    @Test func `A deleted team is not found`() async throws {
        try await Self.withCache { fixture async throws in
            let error = await #expect(throws: AppError.self) {
                try await fixture.cache.value(of: .random(), key: "history") { _ in "never" }
            }
            #expect(error?.code == .notFound)
        }
    }

    private struct Fixture: Sendable {
        let team: TestTeam
        let clock: SettableClock
        let store: CountingStore
        let cache: PublicationCache<String, String>

        var stores: Stores { team.stores }
        var teamID: Team.ID { team.team.id }

        func value(_ made: String) async throws -> String {
            try await cache.value(of: teamID, key: "history") { _ in made }
        }

        /// Changes the team's publication number by starting its first sprint.
        func publish() async throws {
            let end = TestTeam.firstMonday + 14 * TestTeam.day
            _ = try await stores.start(
                Sprint(
                    teamID: teamID, start: TestTeam.firstMonday, end: end, closes: end,
                    label: SprintLabel(year: 2026, number: 1), threshold: 3, policy: .live))
        }
    }

    private static func withCache(_ body: (Fixture) async throws -> Void) async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            let clock = SettableClock(TestTeam.firstMonday)
            let store = CountingStore(stores.rows)
            try await body(
                Fixture(
                    team: try await TestTeam.make(in: stores, members: 0), clock: clock, store: store,
                    cache: PublicationCache(clock: clock.wall) { teamID in
                        try await store.read { try $0.publicationNumber(of: teamID) }
                    }))
        }
    }
}

/// A real store that counts the reads, and fails on demand.
final class CountingStore: Store {
    private let store: any Store
    private let state = Mutex<(reads: Int, error: StorageError?)>((0, nil))

    init(_ store: any Store) {
        self.store = store
    }

    var reads: Int { state.withLock { $0.reads } }

    func fail(with error: StorageError?) {
        state.withLock { $0.error = error }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreRows) throws -> Value
    ) async throws -> Value {
        state.withLock { $0.reads += 1 }
        try require()
        return try await store.read(body)
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreWrites) throws -> Value
    ) async throws -> Value {
        try require()
        return try await store.write(body)
    }

    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        try require()
        return try await store.transaction(body)
    }

    private func require() throws {
        if let error = state.withLock({ $0.error }) { throw error }
    }
}
