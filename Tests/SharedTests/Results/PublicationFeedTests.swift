import Domain
import Foundation
import ServiceLifecycle
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Services

/// The feed on a real store, with a clock that only the test moves.
@Suite struct PublicationFeedTests {
    @Test func `Listeners hear a number once it moves`() async throws {
        try await FeedFixture.with { fixture in
            try await fixture.subscribe { events in
                var heard = events.stream.makeAsyncIterator()
                let first = try #require(await fixture.next(&heard))
                try await fixture.publish()
                let second = try #require(await fixture.next(&heard) { $0.number != first.number })
                #expect(second.number == first.number + 1)
            }
            #expect(fixture.feed.listenerCount == 0)
        }
    }

    @Test func `Every fifth reading is a check even if nothing is new`() async throws {
        try await FeedFixture.with { fixture in
            try await fixture.subscribe { events in
                var heard = events.stream.makeAsyncIterator()
                let check = try #require(await fixture.next(&heard) { $0.check > 0 })
                let next = try #require(await fixture.next(&heard) { $0.check > check.check })
                #expect(next.check == check.check + 1 && next.number == check.number)
            }
        }
    }

    @Test func `Without listeners, nothing is read`() async throws {
        try await FeedFixture.with { fixture in
            try await fixture.subscribe { events in
                var heard = events.stream.makeAsyncIterator()
                _ = await fixture.next(&heard)
            }
            // The current round is finished; after that the feed waits for a listener, not for the clock.
            for _ in 0..<3 {
                fixture.clock.advance(by: PublicationFeed.interval)
                await Task.yield()
            }
            let before = fixture.store.reads
            fixture.clock.advance(by: .seconds(60))
            #expect(fixture.store.reads - before <= 1)
        }
    }

    @Test func `A listener that takes nothing is cut off`() async throws {
        try await FeedFixture.with { fixture in
            let (cuts, cut) = AsyncStream.makeStream(of: Void.self)
            let onCut: @Sendable () -> Void = { cut.yield() }
            try await fixture.feed.subscribe(to: fixture.teamID, as: .random(), onStalled: onCut) { _ in
                let ticking = Task { await fixture.tick() }
                defer { ticking.cancel() }
                #expect(await cuts.first { _ in true } != nil)
            }
        }
    }

    @Test func `The listeners of a user and of a process are limited`() async throws {
        try await FeedFixture.with { fixture in
            let user = User.ID.random()
            try await Self.nested(PublicationFeed.maximumPerUser, as: user, in: fixture) {
                #expect(throws: AppError.tooManyStreams) { try fixture.feed.checkCapacity(for: user) }
                #expect(throws: Never.self) { try fixture.feed.checkCapacity(for: .random()) }
                await #expect(throws: AppError.tooManyStreams) {
                    try await fixture.feed.subscribe(to: fixture.teamID, as: user, onStalled: FeedFixture.ignore) { _ in
                    }
                }
            }
            #expect(throws: Never.self) { try fixture.feed.checkCapacity(for: user) }
        }
    }

    /// Registers `count` listeners while `body` runs.
    private static func nested(
        _ count: Int, as user: User.ID, in fixture: FeedFixture, _ body: () async throws -> Void
    ) async throws {
        guard count > 0 else { return try await body() }
        try await fixture.feed.subscribe(to: fixture.teamID, as: user, onStalled: FeedFixture.ignore) { _ in
            try await nested(count - 1, as: user, in: fixture, body)
        }
    }
}

/// A running feed, and a team to listen to.
private struct FeedFixture: Sendable {
    let stores: Stores
    let store: CountingStore
    let teamID: Team.ID
    let clock: ManualClock
    let feed: PublicationFeed

    /// For listeners that are never cut off.
    static let ignore: @Sendable () -> Void = {}

    static func with(_ body: (FeedFixture) async throws -> Void) async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            let team = try await TestTeam.make(in: stores, members: 2)
            let clock = ManualClock(start: TestTeam.firstMonday)
            let sprints = SprintService(stores: stores, secret: TestTeam.secret, clock: clock.wall)
            let store = CountingStore(stores.rows)
            let feed = PublicationFeed(sprints: sprints, store: store, clock: clock)
            let fixture = FeedFixture(stores: stores, store: store, teamID: team.team.id, clock: clock, feed: feed)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await feed.run() }
                defer { group.cancelAll() }
                try await body(fixture)
            }
        }
    }

    func subscribe(_ body: (PublicationEvents) async throws -> Void) async throws {
        try await feed.subscribe(to: teamID, as: .random(), onStalled: FeedFixture.ignore, body)
    }

    /// Advances the clock until a pulse satisfies a condition.
    func next(
        _ heard: inout AsyncStream<PublicationFeed.Event>.Iterator,
        _ condition: (PublicationFeed.Event) -> Bool = { _ in true }
    ) async -> PublicationFeed.Event? {
        let ticking = Task { await tick() }
        defer { ticking.cancel() }
        while let event = await heard.next() {
            if condition(event) { return event }
        }
        return nil
    }

    /// Wakes the feed whenever it sleeps, until the task is cancelled.
    func tick() async {
        while !Task.isCancelled {
            await clock.sleepers(atLeast: 1)
            clock.advance(by: PublicationFeed.interval)
        }
    }

    func publish() async throws {
        try await stores.updateSettings(id: teamID, TeamSettings(threshold: 4))
    }
}
