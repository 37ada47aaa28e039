import Foundation
import Logging
import Services

/// Makes the backup of the day, and copies new pictures. Only workers with `BACKUP_DIR` have this job.
struct MakeBackup: JobHandler {
    static let kind = "makeBackup"

    let folder: BackupFolder
    let system: any SystemStore
    let location: StoreLocation
    let pictures: PictureBackup
    /// Not the attempt's time, which an operator may have chosen: the age of objects is real.
    let clock: WallClock
    let logger: Logger

    var kind: String { Self.kind }
    /// A store of ten million ballots takes minutes to copy, restore and encrypt.
    let deadline = Duration.seconds(3_600)

    func run(_ context: JobContext) async throws {
        try await folder.make(
            on: CalendarDay(instant: context.now, in: .gmt), of: system, at: location, logger: logger)
        let changes = try await pictures.update(at: clock.now)
        if !changes.isEmpty {
            logger.notice(
                "Copied pictures",
                metadata: ["copies.added": "\(changes.added)", "copies.removed": "\(changes.removed)"])
        }
    }
}
