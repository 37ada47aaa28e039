import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

/// The days of the tests' devices.
enum DeviceDays {
    /// The day on which a fixture was refreshed.
    static let day = CalendarDay(instant: Instants.now, in: .gmt)
}

extension Device.Address {
    /// A unique Firebase token.
    static func uniqueFCM() -> Device.Address { .fcm(token: "fcm:\(User.ID.random())") }

    /// A browser's subscription; the store does not check its keys.
    static func browser(endpoint: String = "https://push.example/\(User.ID.random())", key: UInt8 = 4)
        -> Device.Address
    {
        .webPush(
            WebPushSubscription(
                endpoint: endpoint, publicKey: Array(repeating: key, count: 65),
                authenticationSecret: Array(repeating: key, count: 16)))
    }
}

extension Voter {
    /// A device of the voter in their session, not stored yet.
    func device(
        _ address: Device.Address = .uniqueFCM(), platform: Device.Platform = .android, appVersion: String? = "1.0",
        refreshed: CalendarDay = DeviceDays.day
    ) -> Device {
        Device(
            userID: user.id, sessionID: session.id, address: address, platform: platform, appVersion: appVersion,
            locale: "en", refreshed: refreshed)
    }
}

extension Stores {
    /// A stored device of the voter.
    @discardableResult
    func makeDevice(
        of voter: Voter, _ address: Device.Address = .uniqueFCM(), refreshed: CalendarDay = DeviceDays.day
    ) async throws -> Device {
        try await register(voter.device(address, refreshed: refreshed), limit: DeviceService.limit)
    }

    /// A device imported by an operator.
    func makeImportedDevice(of user: User) async throws -> Device {
        let device = Device(
            userID: user.id, sessionID: nil, address: .uniqueFCM(), platform: .ios, appVersion: nil, locale: "de",
            refreshed: DeviceDays.day)
        return try await register(device, limit: DeviceService.limit)
    }
}
