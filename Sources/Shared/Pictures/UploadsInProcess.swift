import Synchronization

/// The uploads this process is at, so that nobody has two at once and all together fit on its disk.
final class UploadsInProcess: Sendable {
    /// At once, of all users. 25 MB each on disk while they are received; further ones would wait for a core anyway.
    static let limit = 64

    private let users = Mutex<Set<User.ID>>([])

    /// - Throws: `AppError`: `conflict` (`upload-under-way`), `unavailable` (`pictures-busy`). Then nothing began.
    func begin(_ id: User.ID) throws(AppError) {
        let refusal: AppError? = users.withLock { users in
            guard !users.contains(id) else { return Self.underWay }
            guard users.count < Self.limit else { return .picturesBusy }
            users.insert(id)
            return nil
        }
        if let refusal { throw refusal }
    }

    /// Lets the user begin again.
    func end(_ id: User.ID) {
        _ = users.withLock { $0.remove(id) }
    }

    private static let underWay = AppError(
        .conflict, "Another picture of yours is being uploaded. Please wait until that is done.",
        reason: "upload-under-way")
}
