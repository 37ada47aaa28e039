package import Domain
package import Ports
package import Storage

/// Removes pictures of users. The objects are removed soon after, by a job stored in the same transaction.
package struct PictureRemovalService: Sendable {
    private let store: any Store
    private let secret: BallotSecret
    private let clock: WallClock

    /// - Parameters:
    ///   - secret: to remember for restores that the picture was deleted.
    ///   - clock: determines when the job is due.
    package init(stores: Stores, secret: BallotSecret, clock: WallClock) {
        store = stores.rows
        self.secret = secret
        self.clock = clock
    }

    /// Removes the caller's own picture, if there is one.
    /// - Throws: `AppError.unauthenticated` if the account no longer exists.
    package func remove(by principal: Principal) async throws {
        do {
            _ = try await store.replacePicture(of: principal.userID, by: nil, at: clock.now, secret: secret)
        } catch let error as AppError where error == .noSuchUser {
            throw AppError.sessionEnded
        }
    }

    /// Removes another user's inappropriate picture.
    /// - Returns: whether there was one.
    /// - Throws: `AppError`: `forbidden` unless the caller is an admin or the operator, `notFound`.
    package func remove(of userID: User.ID, by caller: Caller) async throws -> Bool {
        try await store.requireAdmin(caller)
        return try await store.replacePicture(of: userID, by: nil, at: clock.now, secret: secret)
    }
}
