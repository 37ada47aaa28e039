import Configuration
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Synchronization
import Testing

@testable import Relay

@Suite struct RelayControllerTests {
    private let gateway = RecordingGateway()
    private let path = "/mixed/" + String(repeating: "a", count: 32)
    private static let message = ByteBuffer(string: "sealed")
    private static let headers: HTTPFields = [.contentType: "message/ohttp-req"]

    @Test func `A ballot is taken, waits, and is answered`() async throws {
        let mix = mix()
        try await test(mix) { client in
            let unknown = try await client.execute(uri: path, method: .get)
            #expect(unknown.status == .notFound)
            let taken = try await client.execute(uri: path, method: .put, headers: Self.headers, body: Self.message)
            #expect(taken.status == .accepted)
            let waiting = try await client.execute(uri: path, method: .get)
            #expect(waiting.status == .accepted)
            await mix.sendAll()
            let answer = try await client.execute(uri: path, method: .get)
            #expect(answer.status == .ok)
            #expect(answer.headers[.contentType] == "message/ohttp-res")
            #expect(answer.body == ByteBuffer(bytes: [7]))
        }
        #expect(gateway.messages == [Array("sealed".utf8)])
    }

    @Test func `Other messages are forwarded at once`() async throws {
        try await test(mix()) { client in
            let answer = try await client.execute(
                uri: "/now", method: .post, headers: Self.headers, body: Self.message)
            #expect(answer.body == ByteBuffer(bytes: [7]))
            gateway.status.withLock { $0 = nil }
            let away = try await client.execute(
                uri: "/now", method: .post, headers: Self.headers, body: Self.message)
            #expect(away.status == .serviceUnavailable)
            #expect(away.headers[.retryAfter] == "60")
        }
    }

    @Test func `Everybody who asks within a while gets the same keys`() async throws {
        try await test(mix()) { client in
            for _ in 0..<3 {
                let keys = try await client.execute(uri: "/keys", method: .get)
                #expect(keys.status == .ok)
            }
        }
        #expect(gateway.messages.count == 1)
    }

    @Test func `Only scripts of the web app may use it`() async throws {
        try await test(mix()) { client in
            let asked = try await client.execute(
                uri: path, method: .options,
                headers: [.origin: "https://happiness.example.org", .accessControlRequestMethod: "PUT"])
            #expect(asked.headers[.accessControlAllowOrigin] == "https://happiness.example.org")
            #expect(asked.headers[.accessControlAllowMethods]?.contains("PUT") == true)
            let refused = try await client.execute(uri: path, method: .get, headers: [.origin: "https://other.example"])
            #expect(refused.headers[.accessControlAllowOrigin] == "https://happiness.example.org")
        }
    }

    @Test func `What is no message for the gateway is refused`() async throws {
        let mix = mix()
        try await test(mix) { client in
            let untyped = try await client.execute(uri: path, method: .put, body: Self.message)
            #expect(untyped.status == .unsupportedMediaType)
            let unnamed = try await client.execute(
                uri: "/mixed/1", method: .put, headers: Self.headers, body: Self.message)
            #expect(unnamed.status == .badRequest)
            for end in ["", "soon", "-1", "1.5", "99999999999"] {
                let untimed = try await client.execute(
                    uri: "\(path)?before=\(end)", method: .put, headers: Self.headers, body: Self.message)
                #expect(untimed.status == .badRequest, "\(end)")
            }
            let long = ByteBuffer(repeating: 1, count: 40 * 1024 + 1)
            let tooLong = try await client.execute(uri: path, method: .put, headers: Self.headers, body: long)
            #expect(tooLong.status == .contentTooLarge)
            let nowhere = try await client.execute(uri: "/", method: .get)
            #expect(nowhere.status == .notFound)
        }
        await mix.sendAll()
        #expect(gateway.messages.isEmpty)
    }

    @Test func `Its health is that of the way to the gateway`() async throws {
        let mix = mix()
        try await test(mix) { client in
            let well = try await client.execute(uri: "/health", method: .get)
            #expect(well.status == .ok)
            gateway.status.withLock { $0 = nil }
            _ = try await client.execute(uri: path, method: .put, headers: Self.headers, body: Self.message)
            await mix.sendAll()
            let away = try await client.execute(uri: "/health", method: .get)
            #expect(away.status == .serviceUnavailable)
        }
    }

    @Test(arguments: [
        [:], ["GATEWAY_URL": "happiness.example.org"], ["GATEWAY_URL": "https://a.example/?x=1"],
        ["GATEWAY_URL": "https://a.example", "MIX_COUNT": "0"],
        ["GATEWAY_URL": "https://a.example", "MIX_SECONDS": "soon"],
    ])
    func `A setting that is missing or not valid is named`(values: [String: String]) throws {
        let reader = ConfigReader(provider: EnvironmentVariablesProvider(environmentVariables: values))
        let error = try #require(throws: RelaySettings.Invalid.self) { try RelaySettings(reader) }
        let name = values.count == 2 ? values.keys.first { $0 != "GATEWAY_URL" } : "GATEWAY_URL"
        #expect(error.description.hasPrefix("\(try #require(name)) must be"))
    }

    @Test func `The origin of the web app is that of the gateway`() throws {
        let values = ["GATEWAY_URL": "https://a.example:8443/happiness/"]
        let settings = try RelaySettings(
            ConfigReader(provider: EnvironmentVariablesProvider(environmentVariables: values)))
        #expect(settings.gateway == "https://a.example:8443/happiness")
        #expect(settings.origin == "https://a.example:8443")
    }

    private func mix() -> Mix {
        Mix(
            settings: MixSettings(count: 5, interval: .seconds(3_600)), gateway: gateway,
            logger: Logger(label: "test"))
    }

    private func test(
        _ mix: Mix, _ body: @Sendable @escaping (any TestClientProtocol) async throws -> Void
    ) async throws {
        let router = RelayController(mix: mix, gateway: gateway).router(origin: "https://happiness.example.org")
        try await Application(router: router).test(.router, body)
    }
}
