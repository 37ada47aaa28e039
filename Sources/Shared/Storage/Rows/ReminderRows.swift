package import Domain

/// Settings of reminders and experiments in a transaction.
package protocol ReminderRows {
    /// The team's settings; the default ones if it has stored none.
    func reminderSettings(of teamID: Team.ID) throws -> ReminderSettings

    /// Replaces the team's settings.
    func setReminderSettings(_ settings: ReminderSettings, of teamID: Team.ID) throws

    /// Whether the experiment shares a day with another one of its team.
    func overlapsAnother(_ experiment: ReminderExperiment) throws -> Bool

    /// - Throws: `StorageError.duplicate` if the id exists.
    func insert(_ experiment: ReminderExperiment) throws
}

/// Devices in a transaction.
package protocol DeviceRows {
    /// The device with this address; `nil` if there is none.
    func device(at address: Device.Address) throws -> Device?

    /// The browser subscriptions registered in the session, ordered by id.
    func browserDevices(of sessionID: Session.ID) throws -> [Device]

    /// Number of devices of the user.
    func deviceCount(of userID: User.ID) throws -> Int

    /// - Throws: `StorageError.duplicate` if the id or the address exists.
    func insert(_ device: Device) throws

    /// Replaces the device with the same id and address.
    func update(_ device: Device) throws

    /// Deletes the device.
    func delete(_ device: Device) throws

    /// Deletes all devices of the user.
    func deleteDevices(of userID: User.ID) throws
}

/// Deliveries in a transaction.
package protocol DeliveryRows {
    /// The deliveries that remind of one of these sprints.
    func reminders(of sprints: Set<Sprint.Key>) throws -> [Delivery]

    /// - Throws: `StorageError.duplicate` if an id exists, or an occasion allows one delivery and has one.
    func insert(_ deliveries: [Delivery]) throws

    /// Deletes the deliveries and their batches. A job that finds its delivery missing ends.
    func delete(_ deliveries: [Delivery]) throws
}

/// Jobs in a transaction.
package protocol JobRows {
    /// Stores jobs without a dedupe key, or with one that no other job can have.
    /// - Throws: `StorageError.duplicate` if an id exists.
    func insert(_ jobs: [Job]) throws
}
