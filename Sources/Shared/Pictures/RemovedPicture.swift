import Foundation

/// A picture that counts no more: the parameters of the job that removes its objects.
///
/// The picture's name only: nothing says any more whose it was.
public struct RemovedPicture: Hashable, Sendable, Codable {
    /// The `Job.kind` of the job.
    public static let jobKind = "removePicture"

    let picture: ProfilePicture.ID

    /// Removes the objects, or finds that they are gone.
    /// - Throws: `ObjectStoreError`, `CancellationError`. Then some may be there.
    public func remove(from objects: any ObjectStore) async throws {
        try await PictureObjects(objects: objects).remove(picture)
    }

    /// The job that removes them, due at once.
    func removal(at now: Date) throws -> Job {
        let payload = String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
        return Job(kind: Self.jobKind, payload: payload, runAt: now)
    }
}

extension UserStore {
    /// Puts a picture, or none, in the place of whichever a user has. Of many at once each replaces one other, so that
    /// the objects of every one that was replaced are removed by a job, and the last to come stays.
    /// - Returns: whether anything was changed: a user without a picture has none to lose.
    /// - Throws: `AppError.notFound` if the user is gone.
    func replacePicture(of id: User.ID, by new: ProfilePicture?, at now: Date) async throws -> Bool {
        while true {
            guard let user = try await find(id: id) else { throw AppError.noSuchUser }
            guard user.picture != nil || new != nil else { return false }
            do {
                try await update(
                    id: id,
                    UserUpdate(
                        picture: UserUpdate.PictureReplacement(old: user.picture?.id, new: new),
                        enqueueing: try user.picture.map { try RemovedPicture(picture: $0.id).removal(at: now) }))
                return true
            } catch let error as AppError where error == .changedMeanwhile {
                // Another one came between, which is the one to replace now. Each turn is somebody else's success.
                try Task.checkCancellation()
            }
        }
    }
}
