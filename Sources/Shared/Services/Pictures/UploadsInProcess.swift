import Domain
import Synchronization

/// The running uploads of this process: one per user, and no more in total than fit on its disk.
final class UploadsInProcess: Sendable {
    /// Maximum number of concurrent uploads. Each takes up to 25 MB on disk while it is received; further ones would
    /// wait for a core anyway.
    static let limit = 64

    private let users = Mutex<Set<User.ID>>([])

    /// - Throws: `AppError`: `conflict` (`upload-under-way`), `unavailable` (`pictures-busy`). Then no upload was
    ///   started.
    func begin(_ id: User.ID) throws(AppError) {
        let rejection: AppError? = users.withLock { users in
            guard !users.contains(id) else { return Self.underWay }
            guard users.count < Self.limit else { return .picturesBusy }
            users.insert(id)
            return nil
        }
        if let rejection { throw rejection }
    }

    /// Permits the user's next upload.
    func end(_ id: User.ID) {
        _ = users.withLock { $0.remove(id) }
    }

    private static let underWay = AppError(
        .conflict, "One of your pictures is already uploading. Please wait a moment.",
        reason: .uploadUnderWay)
}
