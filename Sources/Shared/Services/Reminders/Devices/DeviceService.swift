package import Domain
import Foundation
package import Ports
package import Storage

/// The devices on which users get push messages: users see and change only their own.
package struct DeviceService: Sendable {
    /// Maximum number of one user's devices. Enough for phones, tablets and browsers; a client that exceeds it
    /// registers a new token each time, and each would get every message.
    package static let limit = 20
    /// Days after which a device that was not refreshed is removed. Firebase expires a registration of an app that was
    /// not opened for this long ("Best practices for FCM registration token management").
    package static let staleDays = 270

    private let store: any Store
    private let clock: WallClock

    /// - Parameter clock: determines the day of a registration.
    package init(stores: Stores, clock: WallClock) {
        store = stores.rows
        self.clock = clock
    }

    /// Registers a device in the caller's session, or refreshes the one with the same address. A browser's subscription
    /// replaces the one that the session had. The device is removed when the session ends.
    /// - Returns: the device, and whether it is new to the caller; another user may have had it before.
    /// - Throws: `AppError`: `conflict` (`too-many-devices`), `unauthenticated` if session or account no longer exist.
    package func register(
        _ registration: DeviceRegistration, by principal: Principal
    ) async throws -> (device: Device, isNew: Bool) {
        guard let user = try await store.user(principal.userID) else { throw AppError.sessionEnded }
        let device = Device(
            userID: user.id, sessionID: principal.sessionID, address: registration.address,
            platform: registration.platform, appVersion: registration.appVersion,
            locale: (registration.locale ?? MailLocale(tag: user.locale)).rawValue,
            refreshed: CalendarDay(instant: clock.now, in: .gmt))
        let kept = try await store.register(device, limit: Self.limit)
        return (kept, kept.id == device.id)
    }

    /// The caller's devices, ordered by id.
    package func list(of principal: Principal) async throws -> [Device] {
        try await store.read { try $0.devices(of: principal.userID) }
    }

    /// Removes one of the caller's devices: it gets no more messages until it registers again.
    /// - Throws: `AppError.notFound` (`no-such-device`) if the id is unknown or belongs to another user.
    package func remove(_ id: Device.ID, by principal: Principal) async throws {
        guard try await store.write({ try $0.deleteDevice(id, of: principal.userID) }) else {
            throw AppError(.notFound, "There’s no such device.", reason: .noSuchDevice)
        }
    }
}
