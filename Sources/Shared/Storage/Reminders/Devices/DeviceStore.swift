package import Domain

/// Stores devices. Every call may also throw `StorageError.unavailable`.
///
/// A session's devices are deleted with the session, however it ends, in the same transaction; a user's devices when
/// the account is deleted or disabled.
package protocol DeviceStore: TransactionalStore {
    /// The device with this address; `nil` if there is none.
    func find(address: Device.Address) async throws -> Device?

    /// A user's devices, ordered by id.
    func list(userID: User.ID) async throws -> [Device]

    /// The existing ones among these devices, ordered by id. One round trip.
    func list(ids: [Device.ID]) async throws -> [Device]

    /// The devices of a team's members whose ids lie after `after` and up to `through`, ordered by id; `nil` means no
    /// bound.
    /// - Complexity: scans all of a team's members, whatever the bounds; memory for `limit` devices.
    func list(teamID: Team.ID, after: Device.ID?, through: Device.ID?, limit: Int) async throws -> [Device]

    /// Which of these users have a device that one of the services can reach. One round trip.
    func owners(among userIDs: [User.ID], reachedBy services: Set<PushService>) async throws -> Set<User.ID>

    /// Removes a user's device.
    /// - Returns: false if the user has none with this id.
    func delete(id: Device.ID, userID: User.ID) async throws -> Bool

    /// Removes a device that its service reports as gone, unless it was registered again since: it must still have this
    /// address and, if `refreshedBy` is given, not have been refreshed after that day.
    func delete(id: Device.ID, ifAddressIs address: Device.Address, refreshedBy: CalendarDay?) async throws

    /// Removes devices not refreshed since `day`: Firebase considers a registration stale after a month and expires it
    /// after 270 days.
    func deleteStale(before day: CalendarDay) async throws
}
