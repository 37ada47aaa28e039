import Domain
import Testing

@testable import HappinessAPI

/// The order in which pictures are created.
@Suite struct PictureLimiterTests {
    @Test func `A caller is refused when the queue is full`() async throws {
        let turns = PictureLimiter(places: 2, queueLimit: 0)
        try await turns.inTurn(places: 1) {
            try await turns.inTurn(places: 1) {
                let error = await #expect(throws: AppError.self) { try await turns.inTurn(places: 1) {} }
                #expect(error?.code == .unavailable && error?.reason == .picturesBusy && error?.retryAfter != nil)
            }
            try await turns.inTurn(places: 1) {}
        }
    }

    @Test func `A large picture takes all places`() async throws {
        let turns = PictureLimiter(places: 2, queueLimit: 0)
        try await turns.inTurn(places: 2) {
            _ = await #expect(throws: AppError.self) { try await turns.inTurn(places: 1) {} }
        }
        try await turns.inTurn(places: 1) {
            _ = await #expect(throws: AppError.self) { try await turns.inTurn(places: 2) {} }
        }
    }

    @Test func `Waiting callers are served in order`() async throws {
        let turns = PictureLimiter(places: 1, queueLimit: 16)
        let (order, orderContinuation) = AsyncStream.makeStream(of: Int.self)
        try await withThrowingTaskGroup { group in
            try await turns.inTurn(places: 1) {
                for number in 0..<5 {
                    group.addTask { try await turns.inTurn(places: 1) { _ = orderContinuation.yield(number) } }
                    await turns.untilWaiting(number + 1)
                }
            }
            try await group.waitForAll()
        }
        orderContinuation.finish()
        #expect(await order.reduce(into: []) { $0.append($1) } == [0, 1, 2, 3, 4])
    }

    @Test func `A cancelled caller gives up its place in the queue`() async throws {
        let turns = PictureLimiter(places: 1, queueLimit: 1)
        try await turns.inTurn(places: 1) {
            let waiting = Task { try await turns.inTurn(places: 1) {} }
            await turns.untilWaiting(1)
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            #expect(turns.waitingCount == 0)
        }
        try await turns.inTurn(places: 1) {}
    }

    @Test func `A caller cancelled beforehand does not begin`() async throws {
        let turns = PictureLimiter(places: 1, queueLimit: 1)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await turns.inTurn(places: 1) {}
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        try await turns.inTurn(places: 1) {}
    }
}

extension PictureLimiter {
    /// Yields to other tasks until `count` of them wait.
    fileprivate func untilWaiting(_ count: Int) async {
        while waitingCount < count { await Task.yield() }
    }
}
