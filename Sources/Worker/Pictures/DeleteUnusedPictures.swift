import Logging
import Ports
import Services

/// Deletes picture objects that no user refers to.
struct DeleteUnusedPictures: JobHandler {
    static let kind = "deleteOrphanPictures"

    let orphans: UnusedPictures
    /// Not the attempt's time alone, which an operator may have chosen: the age of objects is real. And not this one
    /// alone, which may be wrong: the attempt's time was checked.
    let clock: WallClock

    var kind: String { Self.kind }
    /// A hundred thousand pictures are four hundred pages.
    let deadline = Duration.seconds(900)

    func run(_ context: JobContext) async throws {
        let removed = try await orphans.remove(at: min(context.now, clock.now))
        if removed > 0 {
            Logger.current.info("Removed objects without a picture", metadata: ["objects.removed": "\(removed)"])
        }
    }
}
