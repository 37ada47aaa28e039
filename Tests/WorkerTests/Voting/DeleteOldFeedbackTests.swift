import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

@testable import Worker

/// The job that limits how long feedback is kept.
@Suite struct DeleteOldFeedbackTests {
    @Test func `Feedback is kept for as long as the operator says`() async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            let team = try await TestTeam.make(in: stores, members: 1).team
            let sprints = SprintService(
                stores: stores, secret: TestTeam.secret,
                clock: SettableClock(TestTeam.firstMonday + TestTeam.day).wall)
            let sprint = try await sprints.runningSprint(of: team.id)
            #expect(try await stores.ballots.close(sprint.key))
            try await stores.ballots.clear(sprint.key, secret: TestTeam.secret)
            try await stores.importFeedback([(sprint.key, try #require(try FeedbackText("a text")))])
            func textsLeft(days: Int?, after seconds: TimeInterval) async throws -> Int {
                let now = sprint.end + seconds
                try await DeleteOldFeedback(ballots: stores.ballots, days: days)
                    .run(JobContext(job: Job(kind: DeleteOldFeedback.kind, runAt: now), now: now))
                return try await stores.ballots.feedback(
                    of: sprint.key, publishedNumber: 1, secret: TestTeam.secret, after: nil, limit: 9
                ).count
            }
            #expect(try await textsLeft(days: nil, after: 3_650 * TestTeam.day) == 1)
            #expect(try await textsLeft(days: 30, after: 30 * TestTeam.day) == 1)
            #expect(try await textsLeft(days: 30, after: 30 * TestTeam.day + 1) == 0)
        }
    }
}
