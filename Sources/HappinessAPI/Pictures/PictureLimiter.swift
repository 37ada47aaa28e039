import Domain
import Synchronization

/// Limits how many pictures are created at once. A large picture takes all places. Others wait in order, up to a limit.
final class PictureLimiter: Sendable {
    private struct Waiting {
        let id: Int
        let places: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var free: Int
        var queue: [Waiting] = []
        var lastID = 0
        /// Ids cancelled before they were queued.
        var cancelled: Set<Int> = []

        /// Removes and returns the entries that may start. Stops at a large one that does not fit, so that later ones
        /// cannot starve it.
        mutating func next() -> [Waiting] {
            var next: [Waiting] = []
            while let first = queue.first, first.places <= free {
                free -= first.places
                next.append(queue.removeFirst())
            }
            return next
        }
    }

    private let state: Mutex<State>
    private let queueLimit: Int

    /// - Parameter queueLimit: maximum number of waiting callers.
    init(places: Int, queueLimit: Int) {
        state = Mutex(State(free: places))
        self.queueLimit = queueLimit
    }

    /// Number of waiting callers.
    var waitingCount: Int { state.withLock { $0.queue.count } }

    /// Waits for its turn, then runs `body`.
    /// - Parameters:
    ///   - places: at most the total number of places.
    ///   - isNext: skips the queue and its limit.
    /// - Throws: `AppError.unavailable` if too many wait, `CancellationError`, what `body` throws.
    func inTurn<Success>(
        places: Int, isNext: Bool = false, _ body: () async throws -> Success
    ) async throws -> Success {
        try await take(places, isNext: isNext)
        defer { give(back: places) }
        return try await body()
    }

    private func take(_ places: Int, isNext: Bool) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        defer { state.withLock { _ = $0.cancelled.remove(id) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                wait(Waiting(id: id, places: places, continuation: continuation), isNext: isNext)
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func wait(_ waiting: Waiting, isNext: Bool) {
        let ready = state.withLock { state -> Result<[Waiting], any Error> in
            guard state.cancelled.remove(waiting.id) == nil else { return .failure(CancellationError()) }
            let mustWait = !state.queue.isEmpty || state.free < waiting.places
            if mustWait, !isNext, state.queue.count >= queueLimit { return .failure(AppError.picturesBusy) }
            state.queue.insert(waiting, at: isNext ? 0 : state.queue.count)
            return .success(state.next())
        }
        switch ready {
        case .success(let ready):
            for one in ready { one.continuation.resume() }
        case .failure(let error):
            waiting.continuation.resume(throwing: error)
        }
    }

    private func cancel(_ id: Int) {
        // Removing a large entry may let those behind it start.
        let (cancelled, ready) = state.withLock { state -> (Waiting?, [Waiting]) in
            guard let index = state.queue.firstIndex(where: { $0.id == id }) else {
                state.cancelled.insert(id)
                return (nil, [])
            }
            return (state.queue.remove(at: index), state.next())
        }
        cancelled?.continuation.resume(throwing: CancellationError())
        for one in ready { one.continuation.resume() }
    }

    private func give(back places: Int) {
        let ready = state.withLock { state in
            state.free += places
            return state.next()
        }
        for one in ready { one.continuation.resume() }
    }
}
