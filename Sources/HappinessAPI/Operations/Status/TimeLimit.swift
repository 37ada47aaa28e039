/// Runs code that may hang.
enum TimeLimit {
    /// The result of `body`, or `nil` after `limit`; `body` is then cancelled but not awaited.
    ///
    /// Two unstructured tasks instead of a group: a group waits for all of its tasks, and a call into a database that
    /// does not respond ignores cancellation.
    static func run<Value: Sendable>(_ limit: Duration, _ body: @escaping @Sendable () async -> Value) async -> Value? {
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
