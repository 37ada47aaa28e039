package import Domain
package import Storage

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
            let own = try rows.devices(of: device.userID)
            let replaced = own.filter { $0.isReplaced(by: device) && $0.id != known?.id }
            for earlier in replaced { try rows.delete(earlier) }
            if let known, known.userID == device.userID {
                let refreshed = device.identified(as: known.id)
                try rows.update(refreshed)
                return refreshed
            }
            guard own.count - replaced.count < limit else { throw AppError.tooManyDevices }
            if let known { try rows.delete(known) }
            let stored = device.identified(as: replaced.first?.id ?? device.id)
            try rows.insert(stored)
            return stored
        }
    }
}

extension Device {
    /// Whether both are subscriptions of one browser, which has one at a time.
    fileprivate func isReplaced(by device: Device) -> Bool {
        guard let sessionID, address.service == .webPush, device.address.service == .webPush else { return false }
        return sessionID == device.sessionID
    }
}

extension AppError {
    /// The user has reached the maximum number of devices.
    static let tooManyDevices = AppError(
        .conflict, "You have too many devices. Please remove one you no longer use.", reason: .tooManyDevices)
}
