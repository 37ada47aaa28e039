import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Ports
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// Users who log out, are logged out or leave get no more messages.
@Suite struct DeviceEndTests {
    @Test(arguments: StoreUnderTest.all)
    func `Logging out removes the session's device and no other`(kind: StoreUnderTest) async throws {
        try await Phones.with(kind) { app, phones in
            let response = try await app.send(.post, "/api/v1/auth/logout", token: phones.first)
            #expect(response.status == .noContent)
            #expect(try await phones.tokens(in: app) == ["second", "others"])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A session ended from elsewhere takes its device with it`(kind: StoreUnderTest) async throws {
        try await Phones.with(kind) { app, phones in
            let sessions = try await app.stores.sessions(of: phones.user.id, at: app.clock.now)
            let devices = try await app.stores.devices(of: phones.user.id)
            let first = try #require(devices.first { $0.address == .fcm(token: "first") }?.sessionID)
            #expect(sessions.contains { $0.id == first })
            let response = try await app.send(.delete, "/api/v1/me/sessions/\(first)", token: phones.second)
            #expect(response.status == .noContent)
            #expect(try await phones.tokens(in: app) == ["second", "others"])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Logging out everywhere else keeps the current device`(kind: StoreUnderTest) async throws {
        try await Phones.with(kind) { app, phones in
            let response = try await app.send(.delete, "/api/v1/me/sessions", token: phones.second)
            #expect(response.status == .noContent)
            #expect(try await phones.tokens(in: app) == ["second", "others"])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A new password keeps only the current device`(kind: StoreUnderTest) async throws {
        try await Phones.with(kind) { app, phones in
            let response = try await app.send(
                .put, "/api/v1/me/password", token: phones.second, headers: [.contentType: "application/json"],
                body: ByteBuffer(
                    string: #"{"currentPassword":"\#(TestApp.password)","newPassword":"green door 7"}"#))
            #expect(response.status == .noContent)
            #expect(try await phones.tokens(in: app) == ["second", "others"])
        }
    }

    @Test(arguments: StoreUnderTest.all, ["/api/v1/me", "/user/deleteAccount"])
    func `A deleted account has no devices`(kind: StoreUnderTest, path: String) async throws {
        try await Phones.with(kind) { app, phones in
            let response = try await app.send(
                .delete, path, token: phones.first, headers: [.contentType: "application/json"],
                body: path.hasPrefix("/api") ? ByteBuffer(string: #"{"password":"\#(TestApp.password)"}"#) : nil)
            #expect(response.status.kind == .successful)
            #expect(try await phones.tokens(in: app) == ["others"])
        }
    }
}

/// Two phones of one user and one of another user, each registered in a session of its own.
private struct Phones: Sendable {
    let user: User
    let other: User
    /// The session's access token.
    let first: String
    let second: String

    static func with(
        _ kind: StoreUnderTest, _ body: @escaping @Sendable (TestApp, Phones) async throws -> Void
    ) async throws {
        try await kind.withStores { stores in
            try await TestApp.with(stores: stores) { app in
                let (user, other) = (try await app.makeUser("anna"), try await app.makeUser("bert"))
                let phones = Phones(
                    user: user, other: other, first: try await app.token(of: user),
                    second: try await app.token(of: user))
                let registrations = [
                    ("first", phones.first), ("second", phones.second), ("others", try await app.token(of: other)),
                ]
                for (deviceToken, token) in registrations {
                    #expect(try await app.register(deviceToken, token: token).status == .created)
                }
                try await body(app, phones)
            }
        }
    }

    /// The tokens of the remaining devices.
    func tokens(in app: TestApp) async throws -> Set<String> {
        let devices =
            try await app.stores.devices(of: user.id) + app.stores.devices(of: other.id)
        return Set(
            devices.map { device in
                if case .fcm(let token) = device.address { token } else { "" }
            })
    }
}
