import Ports
import Synchronization

/// Limits how many mails a process sends at once, and adapts to what the mail server takes: one connection fewer each
/// time it says that there are too many, and one more after a while without such a reply.
package final class MailLimiter: Sendable {
    /// Default of `MAIL_CONNECTIONS`. Large providers take three to twenty connections from one client.
    package static let standardMaximum = MailSettings.standardConnections
    /// Mails in a row without a rejection, after which one connection more is tried.
    private static let mailsBeforeRise = 20
    /// Attempts at one mail, each after another one has ended.
    private static let attempts = 8

    private struct Waiting {
        let id: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var limit: Int
        var running = 0
        var accepted = 0
        var queue: [Waiting] = []
        var lastID = 0
        /// Ids cancelled before they were queued.
        var cancelled: Set<Int> = []

        /// Removes and returns the entries that may start.
        mutating func next() -> [Waiting] {
            let count = min(queue.count, max(0, limit - running))
            let next = Array(queue.prefix(count))
            queue.removeFirst(count)
            running += count
            return next
        }
    }

    /// The largest number of mails at once.
    package let maximum: Int
    private let state: Mutex<State>

    /// - Parameter maximum: at least 1.
    package init(maximum: Int = standardMaximum) {
        self.maximum = max(1, maximum)
        state = Mutex(State(limit: max(1, maximum)))
    }

    /// The present limit.
    package var limit: Int { state.withLock { $0.limit } }

    /// Waits for a free connection, then sends a mail. If the server takes no further connection, waits until another
    /// mail of this process has ended, and tries again.
    /// - Throws: what `send` throws; `MailError.busy` if the server takes none; `CancellationError`.
    package func send(_ send: () async throws -> Void) async throws {
        var attempt = 1
        while true {
            try await acquire()
            do {
                try await send()
                end { state in
                    state.accepted += 1
                    guard state.accepted >= Self.mailsBeforeRise, state.limit < self.maximum else { return }
                    state.accepted = 0
                    state.limit += 1
                }
                return
            } catch MailError.busy(let reason) {
                let others = end { state in
                    state.accepted = 0
                    state.limit = max(1, min(state.limit, state.running))
                }
                // If no other mail is being sent, only time helps.
                guard others > 0, attempt < Self.attempts else { throw MailError.busy(reason) }
                attempt += 1
            } catch {
                end { _ in }
                throw error
            }
        }
    }

    private func acquire() async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        defer { state.withLock { _ = $0.cancelled.remove(id) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                wait(Waiting(id: id, continuation: continuation))
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func wait(_ waiting: Waiting) {
        let ready = state.withLock { state -> [Waiting]? in
            guard state.cancelled.remove(waiting.id) == nil else { return nil }
            state.queue.append(waiting)
            return state.next()
        }
        guard let ready else { return waiting.continuation.resume(throwing: CancellationError()) }
        for one in ready { one.continuation.resume() }
    }

    private func cancel(_ id: Int) {
        let cancelled = state.withLock { state -> Waiting? in
            guard let index = state.queue.firstIndex(where: { $0.id == id }) else {
                state.cancelled.insert(id)
                return nil
            }
            return state.queue.remove(at: index)
        }
        cancelled?.continuation.resume(throwing: CancellationError())
    }

    /// Gives a connection back.
    /// - Parameter change: gets the state without it.
    /// - Returns: how many mails are still being sent.
    @discardableResult
    private func end(_ change: (inout State) -> Void) -> Int {
        let (others, ready) = state.withLock { state -> (Int, [Waiting]) in
            state.running -= 1
            let others = state.running
            change(&state)
            return (others, state.next())
        }
        for one in ready { one.continuation.resume() }
        return others
    }
}
