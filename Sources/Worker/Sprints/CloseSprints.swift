import Domain
import Foundation
import Logging
import Services
import Storage

/// Closes every sprint that is over, so that results are published on time even if no request comes in, and completes
/// the work of a process that died while closing one.
///
/// The API also closes a sprint that it finds overdue; the second attempt changes nothing.
struct CloseSprints: JobHandler {
    static let kind = "closeSprints"

    let store: any Store
    let closing: SprintClosing
    let timing: SprintTiming

    /// Sprints per read.
    static let pageSize = 100
    /// Sprints that are closed at the same time.
    static let concurrency = 8

    var kind: String { Self.kind }
    /// Few, since the schedule starts the same job again a minute later.
    let maximumAttempts = 3
    /// Thousands of sprints end on the same Monday, and each takes milliseconds to close.
    let deadline = Duration.seconds(300)

    func run(_ context: JobContext) async throws {
        var closed = 0
        var notClosed: Set<Sprint.Key> = []
        var failure: (any Error)?
        while true {
            // A sprint that cannot be closed stays first in the list; it must not block those after it.
            let limit = Self.pageSize + notClosed.count
            let page = try await store.read { try $0.unfinishedSprints(of: nil, at: context.now, limit: limit) }
            let untried = page.map(\.sprint.key).filter { !notClosed.contains($0) }
            if untried.isEmpty { break }
            // False while the clock cannot be trusted, which is logged.
            guard try await timing.permits(at: context.now) else { break }
            let results = try await untried.mapConcurrently(atMost: Self.concurrency) { try await close($0) }
            for (key, result) in zip(untried, results) {
                switch result {
                case .success(let isClosing): closed += isClosing ? 1 : 0
                case .failure(let error):
                    notClosed.insert(key)
                    failure = error
                }
            }
        }
        if closed > 0 {
            Logger.current.info("Closed sprints that are over", metadata: ["sprints.closed": "\(closed)"])
        }
        if let failure { throw failure }
    }

    /// - Returns: whether this closed it, or why it cannot be closed.
    /// - Throws: `StorageError.unavailable`, `CancellationError`.
    private func close(_ key: Sprint.Key) async throws -> Result<Bool, any Error> {
        do {
            return .success(try await closing.close(key))
        } catch  where error.endsJob {
            throw error
        } catch {
            return .failure(error)
        }
    }
}
