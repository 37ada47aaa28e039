package import Logging
import Outbound
package import Ports

extension ObjectStore {
    /// Detects configuration errors at start. An unavailable store is not one: voting works without it.
    /// - Parameters:
    ///   - content: what it is for, as in the message.
    ///   - patience: how long the start may wait for the store.
    ///   - logger: gets a message if the store is unavailable.
    ///   - ownership: ensures that the store is this installation's: see `InstallationMark`.
    /// - Throws: `ObjectStoreError.misconfigured`, `CancellationError`, and what `ownership` throws otherwise.
    package func checkAtStart(
        of content: String = "pictures", patience: Duration = .seconds(10), logger: Logger,
        ownership: @escaping @Sendable () async throws -> Void = {}
    ) async throws {
        do {
            let late = ObjectStoreError.unavailable("no answer within \(patience.components.seconds) s")
            try await withDeadline(patience, orThrow: late) {
                try await check()
                try await ownership()
            }
        } catch ObjectStoreError.unavailable(let words) {
            logger.warning(
                "The object store is unavailable. Everything but \(content) works; they will work once it is back.",
                metadata: ["error": "\(words)"])
        }
    }
}
