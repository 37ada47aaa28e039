extension Collection where Element: Sendable {
    /// Transforms all elements, several at the same time: for work that mostly waits for a store.
    /// - Parameter limit: how many at a time.
    /// - Returns: the results in the order of the elements.
    /// - Throws: the first error; the other transformations are cancelled.
    package func mapConcurrently<Value: Sendable>(
        atMost limit: Int, _ transform: @escaping @Sendable (Element) async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: (Int, Value).self) { group in
            var results: [Int: Value] = [:]
            for (index, element) in enumerated() {
                if index >= limit, let (index, value) = try await group.next() { results[index] = value }
                group.addTask {
                    try Task.checkCancellation()
                    return (index, try await transform(element))
                }
            }
            for try await (index, value) in group { results[index] = value }
            return results.sorted { $0.key < $1.key }.map(\.value)
        }
    }
}
