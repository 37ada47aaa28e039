import Crypto
import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// `/api/v1/me/devices`.
@Suite struct DeviceRoutesTests {
    @Test func `A device is registered, refreshed, listed and removed`() async throws {
        try await TestApp.with { app in
            let token = try await app.token(of: app.makeUser("anna"))
            let new = try await app.post(
                "/api/v1/me/devices", token: token,
                json: #"{"service":"fcm","token":"secret-token","platform":"android","appVersion":"1.0"}"#)
            #expect(new.status == .created)
            let id = try #require(new.object["id"] as? String)
            #expect(new.text == Self.device(id: id, version: "1.0"))

            app.clock.advance(by: 30 * TestTeam.day)
            let later = try await app.token(of: #require(app.stores.user(login: "anna")))
            let again = try await app.post(
                "/api/v1/me/devices", token: later,
                json: #"{"service":"fcm","token":"secret-token","platform":"android","appVersion":"1.1"}"#)
            #expect(again.status == .ok)
            #expect(again.text == Self.device(id: id, version: "1.1", refreshed: "2026-02-24"))

            let list = try await app.get("/api/v1/me/devices", token: later)
            #expect(list.status == .ok && list.headers[.cacheControl] == "no-store")
            #expect(list.text == #"{"devices":[\#(Self.device(id: id, version: "1.1", refreshed: "2026-02-24"))]}"#)

            let path = "/api/v1/me/devices/\(id)"
            #expect(try await app.send(.delete, path, token: later).status == .noContent)
            expectRejection(try await app.send(.delete, path, token: later), 404)
            #expect(try await app.get("/api/v1/me/devices", token: later).text == #"{"devices":[]}"#)
        }
    }

    @Test func `A browser registers with its subscription's JSON`() async throws {
        try await TestApp.with { app in
            let token = try await app.token(of: app.makeUser("anna"))
            let subscription = Self.subscription(endpoint: "https://fcm.googleapis.com/fcm/send/abc")
            let response = try await app.post(
                "/api/v1/me/devices", token: token,
                json: #"{"service":"webpush","subscription":\#(subscription),"platform":"web","locale":"de"}"#)
            #expect(response.status == .created)
            #expect(response.object["service"] as? String == "webpush" && response.object["locale"] as? String == "de")
            #expect(!response.text.contains("googleapis"))
            let own = try await app.post(
                "/api/v1/me/devices", token: token,
                json: #"""
                    {"service":"webpush","subscription":\#(Self.subscription(endpoint: "https://10.0.0.1/x")),
                     "platform":"web"}
                    """#)
            expectRejection(own, 422)
        }
    }

    @Test func `A browser's next subscription replaces the one of its session`() async throws {
        try await TestApp.with { app in
            let token = try await app.token(of: app.makeUser("anna"))
            var responses: [TestResponse] = []
            for endpoint in ["abc", "def"] {
                let subscription = Self.subscription(endpoint: "https://fcm.googleapis.com/fcm/send/\(endpoint)")
                responses.append(
                    try await app.post(
                        "/api/v1/me/devices", token: token,
                        json: #"{"service":"webpush","subscription":\#(subscription),"platform":"web"}"#))
            }
            #expect(responses.map(\.status) == [.created, .ok])
            #expect(Set(responses.compactMap { $0.object["id"] as? String }).count == 1)
            #expect(Set(responses.compactMap { $0.object["subscriptionHash"] as? String }).count == 2)
            let list = try await app.get("/api/v1/me/devices", token: token)
            #expect(list.text == #"{"devices":[\#(responses[1].text)]}"#)
        }
    }

    @Test(arguments: [
        ("{}", 400), (#"{"service":"fcm","platform":"android"}"#, 400),
        (#"{"service":"smoke","token":"a","platform":"android"}"#, 400),
        (#"{"service":"fcm","token":"a","platform":"toaster"}"#, 400),
        (#"{"service":"fcm","token":{"$gt":""},"platform":"android"}"#, 400),
        (#"{"service":"webpush","token":"a","platform":"web"}"#, 400),
        (#"{"service":"webpush","subscription":{"endpoint":"https://fcm.googleapis.com/a"},"platform":"web"}"#, 400),
        (#"{"service":"fcm","token":"a b","platform":"android"}"#, 422),
        (#"{"service":"apns","token":"abc","platform":"ios"}"#, 422),
        (#"{"service":"fcm","token":"a","platform":"ios","locale":"fr"}"#, 422),
        (#"{"service":"fcm","token":"a","platform":"ios","appVersion":"0123456789012345678901234567890123"}"#, 422),
    ])
    func `An invalid device is refused`(body: String, status: Int) async throws {
        try await TestApp.with { app in
            let token = try await app.token(of: app.makeUser("anna"))
            let response = try await app.post("/api/v1/me/devices", token: token, json: body)
            expectRejection(response, status, body)
            #expect(try await app.get("/api/v1/me/devices", token: token).text == #"{"devices":[]}"#)
        }
    }

    /// Byte for byte except for the id, which is random in both.
    @Test func `A token that someone else had gets the same answer as a new one`() async throws {
        try await TestApp.with { app in
            let anna = try await app.token(of: app.makeUser("anna"))
            let bert = try await app.token(of: app.makeUser("bert"))
            #expect(try await app.register("shared", token: anna).status == .created)
            let moved = try await app.register("shared", token: bert)
            let fresh = try await app.register("fresh", token: bert)
            #expect(moved.status == .created && fresh.status == .created)
            let ids = try [moved, fresh].map { try #require($0.object["id"] as? String) }
            #expect(moved.text.replacing(ids[0], with: "") == fresh.text.replacing(ids[1], with: ""))
            #expect(try await app.get("/api/v1/me/devices", token: anna).text == #"{"devices":[]}"#)
        }
    }

    @Test func `The 21st device is refused`() async throws {
        try await TestApp.with { app in
            let token = try await app.token(of: app.makeUser("anna"))
            for number in 1...20 {
                #expect(try await app.register("token-\(number)", token: token).status == .created)
            }
            expectRejection(try await app.register("token-21", token: token), 409, saying: "too many devices")
        }
    }

    @Test func `The export contains the devices and no browser's key`() async throws {
        try await TestApp.with { app in
            let token = try await app.token(of: app.makeUser("anna"))
            _ = try await app.register("my-token", token: token)
            let subscription = Self.subscription(endpoint: "https://fcm.googleapis.com/fcm/send/abc")
            _ = try await app.post(
                "/api/v1/me/devices", token: token,
                json: #"{"service":"webpush","subscription":\#(subscription),"platform":"web"}"#)
            let export = try await app.get("/api/v1/me/export", token: token).text
            #expect(export.contains("my-token") && export.contains("https://fcm.googleapis.com/fcm/send/abc"))
            #expect(!export.contains(Self.browserSecret))
        }
    }

    /// 16 bytes in base64url.
    private static let browserSecret = "AAECAwQFBgcICQoLDA0ODw"

    private static func subscription(endpoint: String) -> String {
        let key = P256.KeyAgreement.PrivateKey().publicKey.x963Representation.base64URL
        return #"""
            {"endpoint":"\#(endpoint)","expirationTime":null,"keys":{"p256dh":"\#(key)","auth":"\#(browserSecret)"}}
            """#
    }

    private static func device(id: String, version: String, refreshed: String = "2026-01-25") -> String {
        #"{"appVersion":"\#(version)","current":true,"id":"\#(id)","locale":"en","platform":"android","#
            + #""refreshed":"\#(refreshed)","service":"fcm"}"#
    }
}

extension TestApp {
    /// Registers a Firebase token.
    func register(_ deviceToken: String, token: String) async throws -> TestResponse {
        try await post(
            "/api/v1/me/devices", token: token,
            json: #"{"service":"fcm","token":"\#(deviceToken)","platform":"android"}"#)
    }
}
