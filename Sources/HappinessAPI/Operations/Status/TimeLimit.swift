/// Runs something that may hang.
enum TimeLimit {
    /// What `body` gives, or `nil` if that takes longer than `limit`; then it is cancelled and goes on for itself.
    ///
    /// Two tasks of their own and no group: a group waits for all of its tasks, and a call into a database that does not
    /// answer hears of no cancellation.
    static func run<Value: Sendable>(
        _ limit: Duration, _ body: @escaping @Sendable () async -> Value
    ) async -> Value? {
        let (results, continuation) = AsyncStream<Value?>.makeStream()
        let work = Task { continuation.yield(await body()) }
        let end = Task {
            do {
                try await Task.sleep(for: limit)
            } catch {
                // The answer was faster.
                return
            }
            continuation.yield(nil)
        }
        defer {
            work.cancel()
            end.cancel()
        }
        for await result in results { return result }
        return nil
    }
}
