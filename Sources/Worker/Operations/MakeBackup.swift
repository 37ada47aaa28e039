import Domain
import Foundation
import Logging
import Ports
import Services
import Storage

/// Makes the backup of the day and copies new pictures; copies both to the bucket too, if there is one. Then forgets
/// deletions that are older than all backups. Only workers with `BACKUP_DIR` have this job.
struct MakeBackup: JobHandler {
    static let kind = BackupFolder.jobKind

    /// Folder and bucket must be its own.
    let mark: InstallationMark
    let folder: BackupFolder
    let system: any SystemStore
    let location: StoreLocation
    /// See `TemporaryFolder.shared`.
    let temporaries: String
    /// The list of deletions in both places.
    let deletions: DeletionCopies
    /// `nil` without `BACKUP_BUCKET`.
    let bucket: BackupBucket?
    /// Copies of pictures in the folder.
    let folderPictures: PictureBackup
    /// Copies of pictures in the bucket; `nil` without `BACKUP_BUCKET`.
    let bucketPictures: PictureBackup?
    /// Not the attempt's time alone, which an operator may have chosen: the age of objects is real. And not this one
    /// alone, which may be wrong after a long backup: the attempt's time was checked.
    let clock: WallClock
    let logger: Logger

    var kind: String { Self.kind }
    /// A store of ten million ballots takes minutes to copy, restore and encrypt. An upload that takes longer
    /// resumes in the next attempt.
    let deadline = Duration.seconds(3_600)
    /// About three hours: a bucket may be unavailable for longer than a restart takes.
    let maximumAttempts = 30

    func run(_ context: JobContext) async throws {
        // Each place gets its copies, even if another one is unavailable.
        var failures: [any Error] = []
        do {
            try mark.claim(folder: folder.path)
            try await folder.make(
                on: CalendarDay(instant: context.now, in: .gmt), of: system, at: location, temporaries: temporaries,
                logger: logger
            ) {
                do {
                    // A restore takes a list that lacks what the backup knows for a list that has lost something.
                    try await deletions.updateFolder(on: today)
                } catch let error as OperatorError {
                    // A restore rejects a damaged list anyway. Until an operator has removed it, a backup is worth more
                    // than none.
                    failures.append(error)
                }
            }
        } catch let error as CocoaError {
            throw OperatorError("The folder BACKUP_DIR cannot be used. \(OperatorMessage.text(for: error))")
        }
        do {
            log("Copied pictures", try await folderPictures.update(at: min(context.now, clock.now)))
        } catch {
            failures.append(error)
        }
        if let bucket {
            do {
                // Before anything is copied or deleted there.
                try await bucket.claim(with: mark)
                let failed = await copy(to: bucket, at: min(context.now, clock.now))
                failures += failed
            } catch {
                failures.append(error)
            }
        }
        if let first = failures.first { throw first }
        try await deletions.update(on: today, oldestBackup: try await oldestBackup())
    }

    /// By the machine's clock, as all lists of deletions.
    private var today: CalendarDay { CalendarDay(instant: clock.now, in: .gmt) }

    /// The day of the oldest backup in folder and bucket. Deletions before it are in all of them.
    private func oldestBackup() async throws -> CalendarDay? {
        let backups = try folder.list()
        let copies = try await bucket?.list() ?? []
        return [backups.first?.day, copies.first?.day].compactMap(\.self).min()
    }

    /// Copies backups and pictures to the bucket.
    /// - Returns: what failed.
    private func copy(to bucket: BackupBucket, at now: Date) async -> [any Error] {
        var failures: [any Error] = []
        do {
            // As for the folder.
            try await deletions.update(on: today)
        } catch {
            failures.append(error)
        }
        do {
            log("Copied backups to the bucket", try await bucket.update(from: folder.list()))
        } catch {
            failures.append(error)
        }
        do {
            if let changes = try await bucketPictures?.update(at: now) { log("Copied pictures", changes) }
        } catch {
            failures.append(error)
        }
        return failures
    }

    private func log(_ message: Logger.Message, _ changes: CopyChanges) {
        guard !changes.isEmpty else { return }
        logger.notice(
            message, metadata: ["copies.added": "\(changes.added)", "copies.removed": "\(changes.removed)"])
    }
}
