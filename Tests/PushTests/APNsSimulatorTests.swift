import AsyncHTTPClient
import Crypto
import Foundation
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@testable import Push

/// The simulator rejects what Apple documents as rejected, with the same reasons.
@Suite struct APNsSimulatorTests {
    /// One change to a valid request.
    enum Change: Sendable {
        case none
        case method(String)
        case path(String)
        case header(String, [String])
        case body(String)
        case issued(Int)
        case issuer
        case keyID
        case signature
    }

    private struct Claims: Encodable {
        var iss: String
        var iat: Int
    }

    private static let good = #"{"aps":{"alert":"a"}}"#

    @Test(arguments: [
        (Change.none, 200, ""), (.method("GET"), 405, "MethodNotAllowed"), (.path("/3/phone/a"), 404, "BadPath"),
        (.path("/3/device/"), 400, "MissingDeviceToken"), (.path("/3/device/xyz"), 400, "BadDeviceToken"),
        (.path("/3/device/abcd"), 400, "BadDeviceToken"), (.header("apns-topic", []), 400, "MissingTopic"),
        (.header("apns-topic", ["a b"]), 400, "BadTopic"),
        (.header("apns-topic", ["org.example.other"]), 400, "DeviceTokenNotForTopic"),
        (.header("apns-topic", ["a", "b"]), 400, "DuplicateHeaders"),
        (.header("apns-push-type", []), 400, "InvalidPushType"),
        (.header("apns-push-type", ["loud"]), 400, "InvalidPushType"),
        (.header("apns-push-type", ["background"]), 400, "BadPriority"), (.header("apns-priority", []), 200, ""),
        (.header("apns-priority", ["7"]), 400, "BadPriority"), (.header("apns-expiration", []), 200, ""),
        (.header("apns-expiration", ["soon"]), 400, "BadExpirationDate"), (.header("apns-collapse-id", []), 200, ""),
        (.header("apns-collapse-id", [String(repeating: "a", count: 64)]), 200, ""),
        (.header("apns-collapse-id", [String(repeating: "a", count: 65)]), 400, "BadCollapseId"),
        (.header("authorization", []), 403, "MissingProviderToken"),
        (.header("authorization", ["bearer a.b.c"]), 403, "InvalidProviderToken"), (.body(""), 400, "PayloadEmpty"),
        (.body(#"{"alert":"a"}"#), 400, "PayloadEmpty"), (.issued(-3_600), 200, ""),
        (.body(#"{"aps":{"alert":"\#(String(repeating: "a", count: 4_096))"}}"#), 413, "PayloadTooLarge"),
        (.issued(-3_601), 403, "ExpiredProviderToken"), (.issued(60), 403, "InvalidProviderToken"),
        (.issuer, 403, "InvalidProviderToken"), (.keyID, 403, "InvalidProviderToken"),
        (.signature, 403, "InvalidProviderToken"),
    ])
    func `The simulator is strict`(change: Change, status: UInt, reason: String) async throws {
        try await APNsFixture.with { fixture in
            let response = try await Self.response(to: try Self.request(change, fixture: fixture), of: fixture.client)
            #expect(response.status == status, "\(change)")
            #expect(response.body == (reason.isEmpty ? "" : #"{"reason":"\#(reason)"}"#))
            #expect(fixture.simulator.deliveries(to: fixture.device).count == (status == 200 ? 1 : 0))
        }
    }

    @Test func `New tokens come too often within twenty minutes`() async throws {
        try await APNsFixture.with { fixture in
            for (minutes, status) in [(0, 200), (1, 429), (19, 429), (20, 200), (21, 429)] as [(Double, UInt)] {
                fixture.clock.now = PushFixtures.date + minutes * 60
                let request = try Self.request(.none, fixture: fixture)
                #expect(try await Self.response(to: request, of: fixture.client).status == status, "\(minutes)")
            }
        }
    }

    @Test func `The simulator says since when a phone is unregistered`() async throws {
        try await APNsFixture.with { fixture in
            fixture.simulator.unregister(fixture.device, at: PushFixtures.date - 60)
            let request = try Self.request(.none, fixture: fixture)
            let response = try await Self.response(to: request, of: fixture.client)
            #expect(response.status == 410)
            #expect(response.body == #"{"reason":"Unregistered","timestamp":1794816240000}"#)
        }
    }

    private static func response(
        to request: HTTPClientRequest, of client: HTTPClient
    ) async throws -> (status: UInt, body: String) {
        let response = try await client.execute(request, timeout: .seconds(30))
        return (response.status.code, String(buffer: try await response.body.collect(upTo: 10_000)))
    }

    private static func request(_ change: Change, fixture: APNsFixture) throws -> HTTPClientRequest {
        var claims = Claims(iss: APNsFixture.teamID, iat: Int(fixture.clock.now.timeIntervalSince1970))
        var keyID = APNsFixture.keyID
        var key = fixture.key
        var body = good
        var path = "/3/device/\(fixture.device)"
        var method = "POST"
        switch change {
        case .issued(let seconds): claims.iat += seconds
        case .issuer: claims.iss = "OTHER12345"
        case .keyID: keyID = "OTHER12345"
        case .signature: key = P256.Signing.PrivateKey()
        case .body(let other): body = other
        case .path(let other): path = other
        case .method(let other): method = other
        case .none, .header: break
        }
        var request = HTTPClientRequest(url: fixture.simulator.baseURL + path)
        request.method = .RAW(value: method)
        request.headers = [
            "authorization": "bearer \(try ES256Token.sign(claims, keyID: keyID, with: key))",
            "apns-topic": APNsFixture.topic, "apns-push-type": "alert", "apns-priority": "10",
            "apns-expiration": "1795075500", "apns-collapse-id": "a",
        ]
        if case .header(let name, let values) = change {
            request.headers.remove(name: name)
            for value in values { request.headers.add(name: name, value: value) }
        }
        request.body = .bytes(ByteBuffer(string: body))
        return request
    }
}
