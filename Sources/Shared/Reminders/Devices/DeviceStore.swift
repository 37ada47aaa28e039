/// Where devices are kept. Every call may also throw `AppError.storeUnavailable`.
///
/// A session's devices go with the session, however it ends, in its transaction; a user's with the account, and when it
/// is disabled.
public protocol DeviceStore: Sendable {
    /// Stores a device, or refreshes the one of the same address. One atomic step.
    ///
    /// A device the user has keeps its id and gets everything else from `device`; if nothing differs, nothing is
    /// written, so that an app that registers at each start leaves no trace of it. One that another user has, on a
    /// phone that changed hands, is theirs no more and becomes the user's as if it were new: neither id nor answer
    /// tells that somebody had it.
    /// - Returns: the device as it is kept; its id is that of `device` if the user did not have it.
    /// - Throws: `AppError.conflict` (`too-many-devices`) if the user would have more than `limit`,
    ///   `AppError.unauthenticated` (`session-ended`) if the user has no such session, `AppError.notFound` if there is
    ///   no such user; then nothing was changed.
    func register(_ device: Device, limit: Int) async throws -> Device

    /// A user's devices, ordered by id.
    func list(userID: User.ID) async throws -> [Device]

    /// Those of these devices that are there, ordered by id. One round trip.
    func list(ids: [Device.ID]) async throws -> [Device]

    /// The devices of a team's members whose ids lie after `after` and up to `through`, ordered by id; `nil`
    /// means no bound.
    /// - Complexity: of a team's members each is looked at, whatever the bounds; memory is for `limit` devices.
    func list(teamID: Team.ID, after: Device.ID?, through: Device.ID?, limit: Int) async throws -> [Device]

    /// Which of these users have a device that one of the services reaches. One round trip.
    func owners(among userIDs: [User.ID], reachedBy services: Set<PushService>) async throws -> Set<User.ID>

    /// Removes a user's device.
    /// - Returns: false if the user has none of this id.
    func delete(id: Device.ID, userID: User.ID) async throws -> Bool

    /// Removes a device that its service says is gone, unless it was registered anew since: it must still have this
    /// address, and, if `refreshedBy` is given, not have been refreshed after that day.
    func delete(id: Device.ID, ifAddressIs address: Device.Address, refreshedBy: CalendarDay?) async throws

    /// Removes devices that were not refreshed since `day`: Firebase calls a registration stale after a month and
    /// ends it after 270 days.
    func deleteStale(before day: CalendarDay) async throws
}

extension AppError {
    /// For stores: the user has as many devices as one may have.
    static let tooManyDevices = AppError(
        .conflict, "You have too many devices. Please remove one you do not use any more.", reason: "too-many-devices")
}
