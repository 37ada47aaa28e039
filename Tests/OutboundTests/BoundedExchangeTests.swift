import AsyncHTTPClient
import Foundation
import NIOHTTP1
import Outbound
import TestSupport
import Testing

/// Requests to a server on this machine that fails on demand.
@Suite struct BoundedExchangeTests {
    @Test func `An answer has its status, its headers and its body, whatever the status`() async throws {
        try await withServer { server, client in
            server.fail(.response(503, body: "busy", retryAfter: "7"))
            let exchange = BoundedExchange(client: client, deadline: .seconds(30), responseLimit: 4)
            let response = try await exchange.send(Self.request(to: server.baseURL))
            #expect(response.status == 503)
            #expect(response.headers.first(name: "Retry-After") == "7")
            #expect(String(decoding: response.body, as: UTF8.self) == "busy")
            #expect(response.wait(at: Date()) == .seconds(7))
        }
    }

    @Test func `An answer that is longer than the limit is not read`() async throws {
        try await withServer { server, client in
            server.fail(.response(200, body: "busy."))
            let failure = try await Self.failure(
                of: BoundedExchange(client: client, deadline: .seconds(30), responseLimit: 4), to: server.baseURL)
            #expect(failure?.sentence(about: "It") == "It's answer is too long")
        }
    }

    @Test(arguments: [SimulatedFault.hang, .hangAfterHead])
    func `The deadline also ends an answer that has begun`(fault: SimulatedFault) async throws {
        try await withServer { server, client in
            server.fail(fault)
            let failure = try await Self.failure(
                of: BoundedExchange(client: client, deadline: .milliseconds(300), responseLimit: 100),
                to: server.baseURL)
            #expect(failure?.sentence(about: "It") == "It does not answer in time")
        }
    }

    @Test func `Only a connection that was not made says that the request was not received`() async throws {
        try await withServer { server, client in
            let exchange = BoundedExchange(client: client, deadline: .seconds(30), responseLimit: 100)
            let refused = try await Self.failure(of: exchange, to: "http://127.0.0.1:\(try LoopbackPort.free())")
            guard case .notConnected = refused else {
                Issue.record("\(String(describing: refused))")
                return
            }
            server.fail(.closeMidResponse)
            let broken = try await Self.failure(of: exchange, to: server.baseURL)
            guard case .brokenOff = broken else {
                Issue.record("\(String(describing: broken))")
                return
            }
            #expect(server.requests == 1)
            #expect(broken?.sentence(about: "It") == refused?.sentence(about: "It"))
        }
    }

    @Test func `A cancelled caller gets no failure of the server`() async throws {
        try await withServer { server, client in
            server.fail(.hang)
            let exchange = BoundedExchange(client: client, deadline: .seconds(30), responseLimit: 100)
            let request = Self.request(to: server.baseURL)
            await #expect(throws: CancellationError.self) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { _ = try await exchange.send(request) }
                    group.cancelAll()
                    try await group.waitForAll()
                }
            }
        }
    }

    private static func request(to url: String) -> HTTPClientRequest {
        HTTPClientRequest(url: "\(url)/v1/traces")
    }

    /// The failure of a request; `nil` if there was an answer.
    private static func failure(
        of exchange: BoundedExchange, to url: String
    ) async throws -> BoundedExchange.Failure? {
        do {
            _ = try await exchange.send(request(to: url))
            return nil
        } catch let failure as BoundedExchange.Failure {
            return failure
        }
    }

    private func withServer(
        _ body: @Sendable (OTLPCollector, HTTPClient) async throws -> Void
    ) async throws {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        let client = HTTPClient(configuration: configuration)
        let result: Result<Void, any Error>
        do {
            result = .success(try await OTLPCollector.with { try await body($0, client) })
        } catch {
            result = .failure(error)
        }
        try await client.shutdown()
        try result.get()
    }
}
