package import Logging
import Outbound
package import Ports

extension ObjectStore {
    /// The store of pictures for a program that starts, marked as this installation's. If it is another's, pictures are
    /// read-only, and everything else works: votes and mails must not wait for a wrong bucket.
    /// - Parameters:
    ///   - patience: as in `checkAtStart`.
    ///   - logger: gets a message if the store is unavailable, or another's.
    /// - Throws: `ObjectStoreError.misconfigured`, `CancellationError`.
    package func picturesAtStart(
        mark: InstallationMark, patience: Duration = .seconds(10), logger: Logger
    ) async throws -> any ObjectStore {
        do {
            try await checkAtStart(patience: patience, logger: logger) { try await mark.claim(pictures: self) }
            return self
        } catch let error as OperatorError {
            logger.error(
                "Pictures are read-only until a setting is corrected and this program is started again",
                metadata: ["error": "\(error)"])
            return ReadOnlyObjectStore(self, reason: "\(error)")
        }
    }

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
