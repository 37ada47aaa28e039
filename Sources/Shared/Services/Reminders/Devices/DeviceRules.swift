extension Store {
    /// Atomically stores a device, or refreshes the one with the same address.
    ///
    /// A device that the user already has keeps its id and takes everything else from `device`. If nothing differs,
    /// nothing is written, so that an app that registers at each start leaves no trace of it. A device of another user,
    /// on a phone that changed hands, moves to this user as if it were new: neither id nor result reveals the previous
    /// owner.
    ///
    /// A session is one browser, and a browser has one subscription, which it may replace at any time (Push API,
    /// `pushsubscriptionchange`). So a subscription takes the place, and the id, of the one that its session had.
    /// - Returns: the device as stored; its id is that of `device` if it is new to the user.
    /// - Throws: `AppError.conflict` (`too-many-devices`) if the user would have more than `limit`,
    ///   `AppError.unauthenticated` (`session-ended`) if the user has no such session, `AppError.notFound` if there is
    ///   no such user; then nothing has changed.
    package func register(_ device: Device, limit: Int) async throws -> Device {
        if let known = try await read({ try $0.device(at: device.address) }), known == device.identified(as: known.id) {
            return known
        }
        return try await transaction { rows in
            // Locked: a session that ends, or a user who is deleted at this moment leaves no device behind; and of two
            // new devices the second one counts the first.
            if let sessionID = device.sessionID {
                guard try rows.lock(sessionID, of: device.userID) else { throw AppError.sessionEnded }
            }
            guard try rows.lock(device.userID) else { throw AppError.noSuchUser }
            let known = try rows.device(at: device.address)
            let replaced = try rows.browserDevices(replacedBy: device, at: known)
            for earlier in replaced { try rows.delete(earlier) }
            if let known, known.userID == device.userID {
                let refreshed = device.identified(as: known.id)
                try rows.update(refreshed)
                return refreshed
            }
            guard try rows.deviceCount(of: device.userID) < limit else { throw AppError.tooManyDevices }
            if let known { try rows.delete(known) }
            let stored = device.identified(as: replaced.first?.id ?? device.id)
            try rows.insert(stored)
            return stored
        }
    }
}

extension DeviceRows {
    /// The subscriptions that the device's browser no longer has; none for an app.
    /// - Parameter known: the stored device with the same address.
    fileprivate func browserDevices(replacedBy device: Device, at known: Device?) throws -> [Device] {
        guard let sessionID = device.sessionID, device.address.service == .webPush else { return [] }
        return try browserDevices(of: sessionID).filter { $0.id != known?.id }
    }
}

extension AppError {
    /// The user has reached the maximum number of devices.
    static let tooManyDevices = AppError(
        .conflict, "You have too many devices. Please remove one you no longer use.", reason: .tooManyDevices)
}
