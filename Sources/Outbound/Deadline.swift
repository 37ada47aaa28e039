/// Runs `body` and returns its result. If it takes longer than `deadline`, it is cancelled, and `error` is thrown once
/// it has ended. So `body` must end when it is cancelled.
/// - Throws: `error`, what `body` throws, or `CancellationError` if the caller was cancelled.
package func withDeadline<Value: Sendable>(
    _ deadline: Duration, orThrow error: any Error, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask(operation: body)
        group.addTask {
            try await Task.sleep(for: deadline)
            throw error
        }
        defer { group.cancelAll() }
        guard let first = try await group.next() else { throw CancellationError() }
        return first
    }
}
