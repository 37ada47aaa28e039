package import Domain
package import Foundation
package import Ports
package import Storage

/// A picture no longer in use: the parameters of the job that removes its objects.
///
/// It contains only the picture's name, not the user it belonged to.
package struct PictureRemoval: Hashable, Sendable, Codable {
    /// The `Job.kind` of the job.
    package static let jobKind = "removePicture"

    let picture: ProfilePicture.ID

    /// Removes the objects. Removing missing ones succeeds.
    /// - Throws: `ObjectStoreError`, `CancellationError`. Then some may remain.
    package func remove(from objects: any ObjectStore) async throws {
        try await PictureObjects(objects: objects).remove(picture)
    }

    /// The job that removes them, due at once.
    func removal(at now: Date) throws -> Job {
        let payload = String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
        return Job(kind: Self.jobKind, payload: payload, runAt: now)
    }
}

extension Store {
    /// Replaces a user's present picture, whichever it is, by a new one or none. Each of several concurrent calls
    /// replaces the picture of another, so that a job removes the objects of each replaced picture, and the last one
    /// stays.
    /// - Parameter secret: the deletion of the replaced picture is remembered for restores (`Deletion`).
    /// - Returns: whether anything changed: a user without a picture has none to remove.
    /// - Throws: `AppError.notFound` if the user no longer exists.
    package func replacePicture(
        of id: User.ID, by new: ProfilePicture?, at now: Date, secret: BallotSecret
    ) async throws -> Bool {
        let today = CalendarDay(instant: now, in: .gmt)
        while true {
            guard let user = try await user(id) else { throw AppError.noSuchUser }
            guard user.picture != nil || new != nil else { return false }
            do {
                let update = UserUpdate(
                    picture: UserUpdate.PictureReplacement(old: user.picture?.id, new: new),
                    enqueueing: try user.picture.map { try PictureRemoval(picture: $0.id).removal(at: now) },
                    remembering: user.picture.map { Deletion(of: .picture($0.id), on: today, secret: secret) })
                try await transaction { try $0.apply(update, to: id) }
                return true
            } catch let error as AppError where error == .changedMeanwhile {
                // Another picture was stored in between, and is now the one to replace. Each iteration means that
                // another call has succeeded.
                try Task.checkCancellation()
            }
        }
    }
}
