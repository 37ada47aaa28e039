/// Takes pictures down. The objects go soon after, by a job that is stored together with the change.
public struct PictureRemovalService: Sendable {
    private let users: any UserStore
    private let clock: WallClock

    /// - Parameter clock: says when the job is due.
    public init(stores: Stores, clock: WallClock) {
        users = stores.users
        self.clock = clock
    }

    /// The caller's own picture; no error if there is none.
    /// - Throws: `AppError.unauthenticated` if the account is gone.
    public func remove(by principal: Principal) async throws {
        do {
            _ = try await users.replacePicture(of: principal.userID, by: nil, at: clock.now)
        } catch let error as AppError where error == .noSuchUser {
            throw AppError.sessionEnded
        }
    }

    /// Somebody's picture that others should not have to see.
    /// - Returns: whether there was one.
    /// - Throws: `AppError`: `forbidden` unless the caller is an admin or the operator, `notFound`.
    public func remove(of userID: User.ID, by caller: Caller) async throws -> Bool {
        try await users.requireAdmin(caller)
        return try await users.replacePicture(of: userID, by: nil, at: clock.now)
    }
}
