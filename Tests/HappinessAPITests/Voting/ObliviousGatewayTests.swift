import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import ObliviousHTTP
import Services
import TestSupport
import Testing

@testable import HappinessAPI

/// The gateway for relays: what a relay forwards is answered as if it had come without one.
@Suite struct ObliviousGatewayTests {
    private static let path = "/.well-known/ohttp-gateway"
    /// Bytes.
    private static let size = 36 * 1024

    @Test func `A ballot that comes through a relay is counted once`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let ballot = try await app.sealedBallot(of: team.lead, in: team)
            let first = try await Self.send(.post, "/api/v1/ballots", json: ballot, to: app)
            #expect(first.response.status == .created)
            #expect(first.text == #"{"counted":true}"#)
            let again = try await Self.send(.post, "/api/v1/ballots", json: ballot, to: app)
            #expect(again.response.status == .conflict)
            #expect(again.text.contains("/api#already-counted"))
            #expect(try await app.tally(of: team)?.count == 1)
        }
    }

    @Test func `The relay sees neither what a ballot says nor what became of it`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let ballot = try await app.sealedBallot(of: team.lead, in: team)
            var lengths: Set<Int> = []
            for json in [ballot, ballot, "{}"] {
                let answer = try await Self.exchange(.post, "/api/v1/ballots", json: json, with: app)
                #expect(answer.outer.status == .ok)
                #expect(answer.outer.headers[.contentType] == "message/ohttp-res")
                #expect(answer.outer.headers[.cacheControl] == "no-store")
                lengths.insert(answer.outer.body.readableBytes)
            }
            #expect(lengths == [2_048 + 32])
        }
    }

    @Test func `The relay's replay of a message counts nothing twice`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let request = try await Self.request(
                .post, "/api/v1/ballots", json: try await app.sealedBallot(of: team.lead, in: team), for: app)
            for status in [HTTPResponse.Status.created, .conflict, .conflict] {
                let outer = try await Self.forward(request.message, to: app)
                let answer = try request.answerKey.open(outer.body.readableBytesView)
                #expect(try BinaryHTTP.decodeResponse(answer).response.status == status)
            }
            #expect(try await app.tally(of: team)?.count == 1)
        }
    }

    @Test func `A ballot key is the same bytes through a relay`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let id = try await app.ballotKey(of: team).id
            let key = try await Self.send(.get, "/api/v1/ballot-keys/\(id)", to: app)
            #expect(key.response.status == .ok)
            #expect(key.text == (try await app.get("/api/v1/ballot-keys/\(id)").text))
        }
    }

    @Test(arguments: [
        "/api/v1/me", "/", "/health", "/api/v1/teams", "/.well-known/ohttp-gateway", "/api/v1/ballots",
    ])
    func `Other routes cannot be reached through a relay`(path: String) async throws {
        try await TestApp.with { app in
            let answer = try await Self.send(.get, path, to: app)
            #expect(answer.response.status == .notFound)
        }
    }

    @Test func `A log-in inside a message is refused, as without a relay`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let ballot = try await app.sealedBallot(of: team.lead, in: team)
            let answer = try await Self.send(
                .post, "/api/v1/ballots", json: ballot, headers: [.authorization: "Bearer \(team.lead.token)"], to: app)
            #expect(answer.response.status == .badRequest)
            #expect(answer.text.contains("/api#ballot-with-log-in"))
        }
    }

    @Test func `A message for another key tells the client to fetch the key`() async throws {
        try await TestApp.with { app in
            let other = ObliviousGateway(privateKey: P256.KeyAgreement.PrivateKey()).configuration
            let message = try ObliviousRequest([1], for: other).message
            let answer = try await Self.forward(message, to: app)
            #expect(answer.status == .badRequest)
            #expect(answer.headers[.contentType] == "application/problem+json")
            #expect(answer.object["type"] as? String == "https://iana.org/assignments/http-problem-types#ohttp-key")
        }
    }

    @Test func `What is no message is refused`() async throws {
        try await TestApp.with { app in
            expectRefusal(try await Self.forward([], to: app), 400)
            expectRefusal(try await Self.forward(Array(repeating: 0, count: 65 * 1024), to: app), 413)
            let sealed = try ObliviousRequest([9, 9, 9], for: try await Self.configuration(of: app)).message
            expectRefusal(try await Self.forward(sealed, to: app), 400)
            let response = try await app.send(.post, Self.path, body: ByteBuffer(bytes: sealed))
            expectRefusal(response, 415)
        }
    }

    @Test func `The key belongs to the ballot secret`() async throws {
        let secrets = [UInt8(1), 1, 2].map { BallotSecret(key: SymmetricKey(data: [UInt8](repeating: $0, count: 32))) }
        let keys = secrets.map { ObliviousGateway(privateKey: $0.gatewayKey).configuration }
        #expect(keys[0] == keys[1])
        #expect(keys[0] != keys[2])
    }

    // MARK: -

    private typealias Answer = (response: HTTPResponse, text: String)

    private static func send(
        _ method: HTTPRequest.Method, _ path: String, json: String = "", headers: HTTPFields = [:], to app: TestApp
    ) async throws -> Answer {
        try await exchange(method, path, json: json, headers: headers, with: app).inner
    }

    private static func exchange(
        _ method: HTTPRequest.Method, _ path: String, json: String = "", headers: HTTPFields = [:], with app: TestApp
    ) async throws -> (inner: Answer, outer: TestResponse) {
        let request = try await request(method, path, json: json, headers: headers, for: app)
        let outer = try await forward(request.message, to: app)
        let opened = try request.answerKey.open(outer.body.readableBytesView)
        let (response, content) = try BinaryHTTP.decodeResponse(opened)
        return ((response, String(decoding: content, as: UTF8.self)), outer)
    }

    private static func request(
        _ method: HTTPRequest.Method, _ path: String, json: String, headers: HTTPFields = [:], for app: TestApp
    ) async throws -> ObliviousRequest {
        var headers = headers
        if !json.isEmpty { headers[.contentType] = "application/json" }
        let request = HTTPRequest(
            method: method, scheme: "https", authority: "localhost", path: path, headerFields: headers)
        return try ObliviousRequest(
            BinaryHTTP.encode(request, content: Array(json.utf8), paddedTo: size),
            for: try await configuration(of: app))
    }

    private static func configuration(of app: TestApp) async throws -> KeyConfiguration {
        let keys = try await app.get(path)
        #expect(keys.headers[.contentType] == "application/ohttp-keys")
        return try KeyConfiguration(list: keys.body.readableBytesView)
    }

    private static func forward(_ message: [UInt8], to app: TestApp) async throws -> TestResponse {
        try await app.send(
            .post, path, headers: [.contentType: "message/ohttp-req"], body: ByteBuffer(bytes: message))
    }
}
