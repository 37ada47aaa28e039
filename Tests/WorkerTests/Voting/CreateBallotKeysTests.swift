import Domain
import Foundation
import Logging
import Ports
import Services
import Storage
import TestSupport
import Testing

@testable import Worker

/// The job that creates ballot keys before anyone votes.
@Suite struct CreateBallotKeysTests {
    @Test(arguments: StoreUnderTest.all)
    func `Each running sprint gets its key once, and a closed one none`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let clock = SettableClock(TestTeam.firstMonday + TestTeam.day).wall
            let sprints = SprintService(stores: stores, secret: TestTeam.secret, clock: clock)
            func sprint() async throws -> Sprint.Key {
                let team = try await TestTeam.make(in: stores, members: 3).team
                return try await sprints.runningSprint(of: team.id).key
            }
            let (running, closed) = (try await sprint(), try await sprint())
            #expect(try await stores.ballots.close(closed))
            let keys = BallotKeyService(
                store: stores.ballotKeys, secret: TestTeam.secret, clock: clock, logger: Logger(label: "test"))
            let handler = CreateBallotKeys(stores: stores, keys: keys)
            let context = JobContext(job: Job(kind: CreateBallotKeys.kind, runAt: clock.now), now: clock.now)

            try await handler.run(context)
            let created = try #require(try await stores.ballotKeys.key(of: running))
            #expect(try await stores.ballotKeys.key(of: closed) == nil)
            try await handler.run(context)
            #expect(try await stores.ballotKeys.key(of: running) == created)
            #expect(try await keys.key(of: running) == created.key, "what a voter gets")
        }
    }
}
