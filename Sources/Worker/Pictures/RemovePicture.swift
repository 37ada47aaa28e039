import Shared

/// Removes the objects of a picture that was replaced or taken down.
struct RemovePicture: JobHandler {
    let objects: any ObjectStore

    let kind = RemovedPicture.jobKind
    /// Some three hours; what an object store that is away for longer keeps, `DeleteOrphanPictures` finds.
    let maximumAttempts = 30
    /// Four objects, each tried several times.
    let deadline = Duration.seconds(120)
    let isErasedWhenDone = true

    func run(_ context: JobContext) async throws {
        try await context.parameters(as: RemovedPicture.self).remove(from: objects)
    }
}
