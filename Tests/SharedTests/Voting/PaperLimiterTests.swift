import Domain
import Foundation
import Storage
import TestSupport
import Testing

@testable import Services

/// How many signatures one user can have under way.
@Suite(.timeLimit(.minutes(1))) struct PaperLimiterTests {
    @Test func `The same request on many connections gets one signature`() async throws {
        let (limiter, signer) = (PaperLimiter(), HeldSigner())
        let request = Self.request(of: .random())
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<700 {
                group.addTask { try await limiter.answer(to: request) { await signer.sign() } }
            }
            await Self.untilCalled(limiter, by: request, times: 700)
            await signer.release()
            for try await answer in group { #expect(answer == HeldSigner.signature) }
        }
        #expect(await signer.count == 1)
        #expect(limiter.callerCount(of: request.voter.userID) == 0)
    }

    @Test func `Another request of the same user is refused until the first is answered`() async throws {
        let (limiter, signer) = (PaperLimiter(), HeldSigner())
        let userID = User.ID.random()
        let request = Self.request(of: userID)
        let first = Task { try await limiter.answer(to: request) { await signer.sign() } }
        await Self.untilCalled(limiter, by: request, times: 1)
        // All of other sessions and teams.
        let others = [Self.request(of: userID, message: 2), Self.request(of: userID), Self.request(of: userID)]
        for other in others {
            let error = await #expect(throws: AppError.self) {
                try await limiter.answer(to: other) { await signer.sign() }
            }
            #expect(error?.code == .tooManyRequests && error?.reason == .paperUnderWay && error?.retryAfter == 1)
        }
        #expect(await signer.count <= 1)
        await signer.release()
        _ = try await first.value
        #expect(try await limiter.answer(to: others[0]) { await signer.sign() } == HeldSigner.signature)
        #expect(await signer.count == 2)
    }

    @Test func `One user's open request refuses nobody else's`() async throws {
        let (limiter, signer) = (PaperLimiter(), HeldSigner())
        let held = Self.request(of: .random())
        let first = Task { try await limiter.answer(to: held) { await signer.sign() } }
        await Self.untilCalled(limiter, by: held, times: 1)
        #expect(try await limiter.answer(to: Self.request(of: .random())) { HeldSigner.signature }.count == 256)
        await signer.release()
        _ = try await first.value
    }

    @Test func `A device whose connection breaks gets the signature when it asks again`() async throws {
        let (limiter, signer) = (PaperLimiter(), HeldSigner())
        let request = Self.request(of: .random())
        let broken = Task { try await limiter.answer(to: request) { await signer.sign() } }
        await Self.untilCalled(limiter, by: request, times: 1)
        broken.cancel()
        let again = Task { try await limiter.answer(to: request) { await signer.sign() } }
        await Self.untilCalled(limiter, by: request, times: 2)
        await signer.release()
        #expect(try await again.value == HeldSigner.signature)
        #expect(await signer.count == 1)
        _ = await broken.result
    }

    @Test func `A failure is given to all who wait, and the next request tries again`() async throws {
        let limiter = PaperLimiter()
        let request = Self.request(of: .random())
        await #expect(throws: StorageError.unavailable) {
            try await limiter.answer(to: request) { throw StorageError.unavailable }
        }
        #expect(try await limiter.answer(to: request) { HeldSigner.signature } == HeldSigner.signature)
    }

    /// Another call is another session in another team.
    private static func request(of userID: User.ID, message: UInt8 = 1) -> PaperRequest {
        let sprint = Sprint.Key(teamID: .random(), start: TestTeam.firstMonday)
        let receipt = Receipt(secret: TestTeam.secret, sprint: sprint, userID: userID)
        return PaperRequest(
            voter: Ballot.Voter(sessionID: .random(), userID: userID, receipt: receipt), blindedMessage: [message],
            secret: TestTeam.secret)
    }

    /// Returns once `times` callers wait, or when the test's time is over.
    private static func untilCalled(_ limiter: PaperLimiter, by request: PaperRequest, times: Int) async {
        while limiter.callerCount(of: request.voter.userID) < times, !Task.isCancelled { await Task.yield() }
    }
}

/// Signs nothing until it is released.
private actor HeldSigner {
    static let signature = [UInt8](repeating: 1, count: BallotKey.signatureLength)

    private(set) var count = 0
    private var isReleased = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func sign() async -> [UInt8] {
        count += 1
        if !isReleased { await withCheckedContinuation { waiting.append($0) } }
        return Self.signature
    }

    func release() {
        isReleased = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}
