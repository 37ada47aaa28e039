import ArgumentParser
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Product
import Services

/// `HappinessAPI health`: asks a running API on this machine whether it can serve, for places without `curl`, such as
/// the health check of a container.
struct HealthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health", abstract: "Ask the API that runs on this machine whether it can serve.",
        discussion: "Exits with 0 if it can, otherwise with 1.")

    func run() async throws {
        try await reportingFailure {
            let settings = try await Settings.load()
            let version = try await Self.version(at: settings.server)
            ProgramOutput.print("Version \(version) is ready.")
        }
    }

    /// The version of the API that these settings start.
    /// - Throws: `OperatorError` if it does not answer within two seconds, or cannot serve.
    static func version(at server: ServerSettings) async throws -> String {
        let client = HTTPClient(eventLoopGroupProvider: .singleton)
        let body = try? await body(of: url(of: server), client: client)
        try await client.shutdown()
        guard let body else {
            throw OperatorError("No API answers on \(server.socketPath ?? "port \(server.port)").")
        }
        // Otherwise the body is a problem document.
        guard let health = try? JSONDecoder().decode(HealthResponse.self, from: body) else {
            throw OperatorError("The API cannot serve: its log says why.")
        }
        return health.version
    }

    private static func url(of server: ServerSettings) -> String {
        if let path = server.socketPath {
            return URL(httpURLWithSocketPath: path, uri: "/health")?.absoluteString ?? path
        }
        // An API that listens on all addresses also listens on the loopback address.
        let host = ["0.0.0.0", "::"].contains(server.host) ? "127.0.0.1" : server.host
        return "http://\(host.contains(":") ? "[\(host)]" : host):\(server.port)/health"
    }

    private static func body(of url: String, client: HTTPClient) async throws -> Data {
        var request = HTTPClientRequest(url: url)
        // The client adds none for a Unix socket.
        request.headers.replaceOrAdd(name: "Host", value: "localhost")
        let response = try await client.execute(request, timeout: .seconds(2))
        return Data(try await response.body.collect(upTo: 1 << 16).readableBytesView)
    }
}
