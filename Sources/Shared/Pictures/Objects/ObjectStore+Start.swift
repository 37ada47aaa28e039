public import Logging

extension ObjectStore {
    /// Finds out at start what somebody has to mend. A store that is away is none of that: votes go on without it.
    /// - Parameters:
    ///   - patience: how long the start may wait for the store.
    ///   - logger: told if the store is away.
    /// - Throws: `ObjectStoreError.misconfigured`, `CancellationError`.
    public func checkAtStart(patience: Duration = .seconds(10), logger: Logger) async throws {
        do {
            let late = ObjectStoreError.unavailable("no answer within \(patience.components.seconds) s")
            try await withDeadline(patience, orThrow: late) { try await check() }
        } catch ObjectStoreError.unavailable(let words) {
            logger.warning(
                "The object store is away. Everything works but pictures, and they will once it is back.",
                metadata: ["error": "\(words)"])
        }
    }
}
