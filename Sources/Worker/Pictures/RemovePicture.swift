import Ports
import Services

/// Deletes the objects of a picture that was replaced or removed.
struct RemovePicture: JobHandler {
    let objects: any ObjectStore

    let kind = PictureRemoval.jobKind
    /// About three hours; what remains after a longer outage of the object store is deleted by `DeleteUnusedPictures`.
    let maximumAttempts = 30
    /// Four objects with several attempts each.
    let deadline = Duration.seconds(120)
    let isDeletedWhenDone = true

    func run(_ context: JobContext) async throws {
        try await context.parameters(as: PictureRemoval.self).remove(from: objects)
    }
}
