import Crypto
import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

/// Ballot keys when something is wrong with them.
@Suite struct BallotKeyServiceTests {
    @Test func `A key of another secret signs nothing, and the log says why`() async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            let clock = SettableClock(TestTeam.firstMonday + TestTeam.day).wall
            let log = CapturedLog()
            func keys(_ secret: BallotSecret) -> BallotKeyService {
                BallotKeyService(store: stores.ballotKeys, secret: secret, clock: clock, logger: log.logger)
            }
            let before = keys(TestTeam.secret)
            let after = keys(BallotSecret(key: .init(size: .bits256)))
            let team = try await TestTeam.make(in: stores, members: 3).team
            let sprint = try await SprintService(stores: stores, secret: TestTeam.secret, clock: clock)
                .runningSprint(of: team.id).key
            let key = try await before.key(of: sprint)
            let paper = try BlindedPaper(publicKey: key.publicKey)
            let signature = try paper.signature(from: try await before.sign(Array(paper.blindedMessage), in: sprint))
            #expect(log.lines.isEmpty)

            let error = await #expect(throws: AppError.self) {
                _ = try await after.sign(Array(paper.blindedMessage), in: sprint)
            }
            #expect(error?.code == .unavailable && error?.reason == .ballotKeyUnreadable)
            #expect(log.text.contains("error: The key of a sprint was encrypted with another BALLOT_SECRET"))
            // Papers that were signed before still count: that takes the public half only.
            _ = try await after.spend(paper.paper, signature: Array(signature), keyID: key.id)
        }
    }
}
