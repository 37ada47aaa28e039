import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

/// Which devices can be registered, and to whom they then belong.
@Suite struct DeviceServiceTests {
    private static let hexadecimal = String(repeating: "0123456789abcdef", count: 4)

    @Test(arguments: ["", "a b", "a\n", "ä", "a\u{0}", "\u{7f}", String(repeating: "x", count: 4_097)])
    func `A Firebase token is printable ASCII`(token: String) {
        #expect(reason { _ = try Device.Address.fcm(validating: token) } == .deviceTokenNotValid)
    }

    @Test(arguments: ["x", "dQw4:APA91b-_", String(repeating: "x", count: 4_096)])
    func `A Firebase token is kept as it is`(token: String) throws {
        #expect(try Device.Address.fcm(validating: token) == .fcm(token: token))
    }

    @Test(arguments: [
        "", String(hexadecimal.dropLast()), String(hexadecimal.dropLast()) + "g", String(repeating: "a", count: 201),
        "<\(hexadecimal)>",
    ])
    func `An Apple token is hexadecimal`(token: String) {
        #expect(reason { _ = try Device.Address.apns(validating: token) } == .deviceTokenNotValid)
    }

    @Test func `Two spellings of an Apple token are one address`() throws {
        let address = try Device.Address.apns(validating: Self.hexadecimal.uppercased())
        #expect(address == .apns(token: Self.hexadecimal))
    }

    @Test func `A version has at most 32 characters and no invisible one`() throws {
        func reason(of version: String) -> AppError.Reason? {
            self.reason {
                _ = try DeviceRegistration(address: .fcm(token: "x"), platform: .web, appVersion: version)
            }
        }
        for version in ["", "2.4.1 (317)", String(repeating: "9", count: 32)] { #expect(reason(of: version) == nil) }
        let stacked = "e" + String(repeating: "\u{301}", count: 100)
        for version in [String(repeating: "9", count: 33), "1\n2", "1\u{202e}2", stacked] {
            #expect(reason(of: version) == .appVersionNotValid)
        }
    }

    @Test(arguments: ["fr", "", "EN", "de-AT"])
    func `A language is one that messages are written in`(locale: String) {
        let rejection = reason {
            _ = try DeviceRegistration(address: .fcm(token: "x"), platform: .web, locale: locale)
        }
        #expect(rejection == .noSuchLanguage)
    }

    @Test func `A device gets the language of its account unless it names one`() async throws {
        try await DeviceFixture.with { fixture in
            let anna = try await fixture.signIn("Anna")
            try await fixture.stores.update(id: anna.userID, UserUpdate(locale: "de"))
            let ofAccount = try await fixture.register("a", by: anna)
            #expect(ofAccount.device.locale == "de" && ofAccount.isNew)
            let english = try await fixture.register("a", locale: "en", by: anna)
            #expect(english.device.locale == "en" && !english.isNew)
            #expect(english.device.id == ofAccount.device.id)
        }
    }

    /// The response must not reveal that another user had the token.
    @Test func `A token that moves from another user is like one nobody had`() async throws {
        try await DeviceFixture.with { fixture in
            let (anna, bert) = (try await fixture.signIn("Anna"), try await fixture.signIn("Bert"))
            let annas = try await fixture.register("a", by: anna)
            let berts = try await fixture.register("a", by: bert)
            #expect(berts.isNew && berts.device.id != annas.device.id)
            #expect(try await fixture.devices.list(of: anna).isEmpty)
            #expect(try await fixture.devices.list(of: bert) == [berts.device])
            let refused = try await rejection { try await fixture.devices.remove(berts.device.id, by: anna) }
            #expect(refused?.reason == .noSuchDevice)
            try await fixture.devices.remove(berts.device.id, by: bert)
            #expect(try await fixture.devices.list(of: bert).isEmpty)
        }
    }

    @Test func `Nobody has more than twenty devices`() async throws {
        try await DeviceFixture.with { fixture in
            let anna = try await fixture.signIn("Anna")
            for number in 0..<DeviceService.limit { _ = try await fixture.register("token-\(number)", by: anna) }
            let refused = try await rejection { _ = try await fixture.register("one-more", by: anna) }
            #expect(refused?.reason == .tooManyDevices)
            #expect(try await fixture.register("token-0", by: anna).isNew == false)
        }
    }

    private func reason(_ body: () throws -> Void) -> AppError.Reason? {
        do {
            try body()
            return nil
        } catch {
            guard let rejection = error as? AppError else {
                Issue.record(error)
                return nil
            }
            return rejection.reason
        }
    }
}

/// Logged-in users, and the device service.
private struct DeviceFixture {
    let accounts: Accounts
    let devices: DeviceService

    var stores: Stores { accounts.stores }

    static func with(_ body: (DeviceFixture) async throws -> Void) async throws {
        try await Accounts.with { accounts in
            let devices = DeviceService(stores: accounts.stores, clock: accounts.clock.wall)
            try await body(DeviceFixture(accounts: accounts, devices: devices))
        }
    }

    func signIn(_ name: String) async throws -> Principal {
        let user = try await accounts.addUser(name)
        return Principal(userID: user.id, sessionID: try await accounts.logIn(name).sessionID)
    }

    func register(
        _ token: String, locale: String? = nil, by principal: Principal
    ) async throws -> (device: Device, isNew: Bool) {
        let registration = try DeviceRegistration(
            address: .fcm(validating: token), platform: .android, locale: locale)
        return try await devices.register(registration, by: principal)
    }
}
