import HTTPTypes
import Hummingbird
import HummingbirdTesting
import TestSupport
import Testing

@testable import HappinessAPI

/// To whom failed logins are attributed.
@Suite struct ClientAddressTests {
    @Test func `Behind a proxy, the address it saw is used, not what the client claims`() async throws {
        try await TestApp.with(settings: ["TRUSTED_PROXIES": "1"]) { app in
            for number in 0..<20 {
                let status = try await Self.fail(number, from: "10.0.0.\(number), 192.0.2.7", in: app)
                #expect(status == 401)
            }
            #expect(try await Self.fail(20, from: "10.0.0.20, 192.0.2.7", in: app) == 429)
            #expect(try await Self.fail(21, from: "192.0.2.7, 192.0.2.8", in: app) == 401)
        }
    }

    @Test func `Without a proxy, the header is not believed`() async throws {
        try await TestApp.with { app in
            for number in 0..<20 {
                let status = try await Self.fail(number, from: "10.0.0.\(number)", in: app)
                #expect(status == 401)
            }
            #expect(try await Self.fail(20, from: "10.0.0.20", in: app) == 429)
        }
    }

    private static func fail(_ number: Int, from forwarded: String, in app: TestApp) async throws -> Int {
        try await app.send(
            .post, "/api/v1/auth/login",
            headers: [.contentType: "application/json", .xForwardedFor: forwarded],
            body: ByteBuffer(string: #"{"username":"nobody\#(number)","password":"wrong"}"#)
        ).status.code
    }
}
