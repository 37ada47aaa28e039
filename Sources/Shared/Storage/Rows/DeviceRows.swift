package import Domain

/// Devices. A session's devices are deleted with the session, however it ends; a user's devices when the account is
/// deleted or disabled.
package protocol DeviceRows {
    /// The device with this address; `nil` if there is none.
    func device(at address: Device.Address) throws -> Device?

    /// A user's devices, ordered by id.
    func devices(of userID: User.ID) throws -> [Device]

    /// The existing ones among these devices, ordered by id. One round trip.
    func devices(_ ids: [Device.ID]) throws -> [Device]

    /// The devices of a team's members whose ids lie after `after` and up to `through`, ordered by id; `nil` means no
    /// bound.
    /// - Complexity: scans all of a team's members, whatever the bounds; memory for `limit` devices.
    func devices(in teamID: Team.ID, after: Device.ID?, through: Device.ID?, limit: Int) throws -> [Device]

    /// Which of these users have a device that one of the services can reach. One round trip.
    func deviceOwners(among userIDs: [User.ID], reachedBy services: Set<PushService>) throws -> Set<User.ID>
}

/// Changes of devices, each atomic by itself.
package protocol DeviceWrites {
    /// Removes a user's device.
    /// - Returns: false if the user has none with this id.
    func deleteDevice(_ id: Device.ID, of userID: User.ID) throws -> Bool

    /// Removes a device that its service reports as gone, unless it was registered again since: it must still have this
    /// address and, if `refreshedBy` is given, not have been refreshed after that day.
    func deleteDevice(_ id: Device.ID, ifAddressIs address: Device.Address, refreshedBy: CalendarDay?) throws
}

/// Changes of devices in a transaction.
package protocol DeviceChanges {
    /// - Throws: `StorageError.duplicate` if the id or the address exists.
    func insert(_ device: Device) throws

    /// Replaces the device with the same id and address.
    func update(_ device: Device) throws

    /// Deletes the device.
    func delete(_ device: Device) throws

    /// Deletes all devices of the user.
    func deleteDevices(of userID: User.ID) throws
}
