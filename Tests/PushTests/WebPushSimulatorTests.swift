import AsyncHTTPClient
import Crypto
import Domain
import Foundation
import NIOCore
import NIOHTTP1
import Ports
import TestSupport
import Testing

@testable import Push

/// The simulator rejects what the RFCs say is rejected.
@Suite struct WebPushSimulatorTests {
    /// One change to a valid request.
    enum Change: Sendable {
        case none
        case method(String)
        case path(String)
        case header(String, String?)
        case length(Int)
        /// A claim and its value; `nil` removes it.
        case claim(String, Int?)
        case audience(String)
        case subject(String)
        case key
        case signature
    }

    private struct Claims: Encodable {
        var aud: String?
        var exp: Int?
        var sub: String?
    }

    @Test(arguments: [
        (Change.none, 201), (.method("PUT"), 405), (.path("/push/unknown"), 404), (.path("/other"), 404),
        (.header("TTL", nil), 400), (.header("TTL", "-1"), 400), (.header("TTL", "soon"), 400),
        (.header("TTL", "0"), 201), (.header("TTL", "2419200"), 201), (.header("TTL", "2419201"), 400),
        (.header("Topic", nil), 201), (.header("Topic", ""), 400),
        (.header("Topic", "a.b"), 400), (.header("Topic", String(repeating: "a", count: 32)), 201),
        (.header("Topic", String(repeating: "a", count: 33)), 400), (.header("Urgency", nil), 201),
        (.header("Urgency", "high"), 201), (.header("Urgency", "extreme"), 400),
        (.header("Content-Encoding", nil), 400), (.header("Content-Encoding", "aesgcm"), 400),
        (.header("Authorization", nil), 401), (.header("Authorization", "Bearer x"), 401),
        (.header("Authorization", "vapid t=a.b.c, k=d"), 403), (.length(4_096), 201), (.length(4_097), 413),
        (.claim("exp", 0), 201), (.claim("exp", -43_201), 403), (.claim("exp", 43_200), 201),
        (.claim("exp", 43_201), 403), (.claim("exp", nil), 403), (.audience("https://push.example.org"), 403),
        (.subject("happiness@example.org"), 403), (.key, 403), (.signature, 403),
    ])
    func `The simulator is strict`(change: Change, status: Int) async throws {
        try await WebPushFixture.with { fixture in
            let request = try Self.request(change, fixture: fixture)
            let response = try await fixture.client.execute(request, timeout: .seconds(30))
            #expect(Int(response.status.code) == status, "\(change)")
            #expect(fixture.simulator.deliveries(to: fixture.subscription).count == (status == 201 ? 1 : 0))
        }
    }

    @Test func `An unreadable body is reported`() async throws {
        try await WebPushFixture.with { fixture in
            let request = try Self.request(.length(100), fixture: fixture)
            _ = try await fixture.client.execute(request, timeout: .seconds(30))
            let delivery = try #require(fixture.simulator.deliveries(to: fixture.subscription).first)
            #expect(throws: (any Error).self) { try delivery.text.get() }
        }
    }

    private static func request(_ change: Change, fixture: WebPushFixture) throws -> HTTPClientRequest {
        var claims = Claims(
            aud: fixture.simulator.origin, exp: Int(PushFixtures.date.timeIntervalSince1970) + 43_200,
            sub: WebPushFixture.subject)
        var key = fixture.key
        var length = 10
        var path = String(fixture.subscription.endpoint.dropFirst(fixture.simulator.origin.count))
        var method = "POST"
        switch change {
        case .claim(_, let seconds): claims.exp = seconds.flatMap { added in claims.exp.map { $0 + added } }
        case .audience(let audience): claims.aud = audience
        case .subject(let subject): claims.sub = subject
        case .key: key = VAPIDKey()
        case .length(let count): length = count
        case .path(let other): path = other
        case .method(let other): method = other
        case .none, .header, .signature: break
        }
        var token = try ES256Token.sign(claims, with: key.privateKey)
        if case .signature = change {
            token = try ES256Token.sign(claims, with: VAPIDKey().privateKey)
        }
        var request = HTTPClientRequest(url: fixture.simulator.origin + path)
        request.method = .RAW(value: method)
        request.headers = [
            "Authorization": "vapid t=\(token), k=\(key.publicText)", "TTL": "60", "Topic": "t",
            "Urgency": "normal", "Content-Encoding": "aes128gcm",
        ]
        if case .header(let name, let value) = change {
            request.headers.remove(name: name)
            if let value { request.headers.add(name: name, value: value) }
        }
        request.body = .bytes(ByteBuffer(repeating: 1, count: length))
        return request
    }
}
