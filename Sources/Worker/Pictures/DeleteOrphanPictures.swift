import Logging
import Services

/// Deletes picture objects that no user refers to.
struct DeleteOrphanPictures: JobHandler {
    static let kind = "deleteOrphanPictures"

    let orphans: OrphanPictures
    /// Not the attempt's time, which an operator may have chosen: the age of objects is real.
    let clock: WallClock

    var kind: String { Self.kind }
    /// A hundred thousand pictures are four hundred pages.
    let deadline = Duration.seconds(900)

    func run(_ context: JobContext) async throws {
        let removed = try await orphans.remove(at: clock.now)
        if removed > 0 {
            Logger.current.info("Removed objects without a picture", metadata: ["objects.removed": "\(removed)"])
        }
    }
}
