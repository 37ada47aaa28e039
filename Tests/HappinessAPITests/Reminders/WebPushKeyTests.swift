import Domain
import HTTPTypes
import HummingbirdTesting
import Ports
import Testing

@testable import HappinessAPI

/// `GET /api/v1/push/web-key`.
@Suite struct WebPushKeyTests {
    @Test func `A browser gets the public key without a log-in`() async throws {
        let key = VAPIDKey()
        try await TestApp.with(settings: ["PUSH_DRIVERS": "log,webpush"], vapid: key) { app in
            let response = try await app.get("/api/v1/push/web-key")
            #expect(response.status == .ok)
            #expect(response.text == #"{"applicationServerKey":"\#(key.publicText)"}"#)
            #expect([UInt8](base64URL: key.publicText)?.count == 65)
        }
    }

    @Test func `Where browsers get no messages, there is no key`() async throws {
        try await TestApp.with(settings: ["PUSH_DRIVERS": "log"], vapid: VAPIDKey()) { app in
            expectRejection(try await app.get("/api/v1/push/web-key"), 404)
        }
    }
}
