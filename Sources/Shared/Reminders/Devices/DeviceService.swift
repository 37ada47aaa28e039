import Foundation

/// The devices people get messages on: each sees and changes their own.
public struct DeviceService: Sendable {
    /// Devices of one user. Phones, tablets and browsers of a busy person; more is a client that registers a new token
    /// each time, and each would get every message.
    public static let limit = 20
    /// Days after which a device that was not refreshed is removed: Firebase ends a registration of an app that was
    /// not opened for so long ("Best practices for FCM registration token management").
    public static let staleDays = 270

    private let users: any UserStore
    private let devices: any DeviceStore
    private let clock: WallClock

    /// - Parameter clock: tells the day of a registration.
    public init(stores: Stores, clock: WallClock) {
        users = stores.users
        devices = stores.devices
        self.clock = clock
    }

    /// Registers a device in the caller's session, or refreshes the one of the same address. It goes when the session
    /// ends.
    /// - Returns: the device, and whether the caller did not have it yet; somebody else may have had.
    /// - Throws: `AppError`: `conflict` (`too-many-devices`), `unauthenticated` if session or account are gone.
    public func register(
        _ registration: DeviceRegistration, by principal: Principal
    ) async throws -> (device: Device, isNew: Bool) {
        guard let user = try await users.find(id: principal.userID) else { throw AppError.sessionEnded }
        let device = Device(
            userID: user.id, sessionID: principal.sessionID, address: registration.address,
            platform: registration.platform, appVersion: registration.appVersion,
            locale: (registration.locale ?? MailLocale(tag: user.locale)).rawValue,
            refreshed: CalendarDay(instant: clock.now, in: .gmt))
        let kept = try await devices.register(device, limit: Self.limit)
        return (kept, kept.id == device.id)
    }

    /// The caller's devices, ordered by id.
    public func list(of principal: Principal) async throws -> [Device] {
        try await devices.list(userID: principal.userID)
    }

    /// Removes one of the caller's devices: it gets no more messages until it registers again.
    /// - Throws: `AppError.notFound` (`no-such-device`) if there is none of this id, or it is somebody else's.
    public func remove(_ id: Device.ID, by principal: Principal) async throws {
        guard try await devices.delete(id: id, userID: principal.userID) else {
            throw AppError(.notFound, "There is no such device.", reason: "no-such-device")
        }
    }
}
