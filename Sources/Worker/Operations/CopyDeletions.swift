import Domain
import Foundation
import Logging
import Ports
import Services

/// Writes the list of deletions beside the backups, every hour: the time of a version in folder or bucket says no more
/// than in which hour somebody left. Only workers with `BACKUP_DIR` have this job.
struct CopyDeletions: JobHandler {
    static let kind = "copyDeletions"

    let copies: DeletionCopies
    /// Not the attempt's time, which an operator may have chosen: a list says until when it knows of deletions.
    let clock: WallClock
    let logger: Logger

    var kind: String { Self.kind }
    let deadline = Duration.seconds(300)

    /// Does not fail if folder or bucket cannot be used: the next one comes in an hour, and what lasts makes
    /// `MakeBackup` fail, too.
    func run(_ context: JobContext) async throws {
        do {
            try await copies.update(on: CalendarDay(instant: clock.now, in: .gmt))
        } catch ObjectStoreError.unavailable(let words) {
            logger.warning("The list of deletions was not copied to the bucket", metadata: ["error": "\(words)"])
        } catch let error where error is ObjectStoreError || error is OperatorError || error is CocoaError {
            logger.error(
                "The list of deletions cannot be written",
                metadata: ["error": "\(OperatorMessage.text(for: error))"])
        }
    }
}
