import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// A real OpenID provider (oidc-provider-mock, based on Authlib) in a process of its own.
package struct OpenIDProviderProcess: Sendable {
    /// A registered client.
    package struct Client: Decodable, Sendable {
        /// The client's id.
        package let id: String
        /// The client's secret.
        package let secret: String

        private enum CodingKeys: String, CodingKey {
            case id = "client_id"
            case secret = "client_secret"
        }
    }

    /// An unexpected response of the provider.
    package struct Failure: Error {
        /// Its status, or what it contained.
        package let response: String
    }

    /// Its `iss`.
    package let issuer: String
    private let client: HTTPClient

    /// Runs a provider while the closure runs.
    package static func with<Value>(
        isolation: isolated (any Actor)? = #isolation, _ body: (OpenIDProviderProcess) async throws -> Value
    ) async throws -> Value {
        try await PythonServer.with("oidc_provider.py") { port in
            let client = HTTPClient(
                eventLoopGroupProvider: .singleton, configuration: .init(redirectConfiguration: .disallow))
            let result: Result<Value, any Error>
            do {
                result = .success(
                    try await body(OpenIDProviderProcess(issuer: "http://127.0.0.1:\(port)", client: client)))
            } catch {
                result = .failure(error)
            }
            try await client.shutdown()
            return try result.get()
        }
    }

    /// Registers a client with one redirect URI.
    package func register(redirectURI: String, authentication: String = "client_secret_basic") async throws -> Client {
        let body = ["redirect_uris": [redirectURI]] as [String: Any]
        let all = body.merging(["token_endpoint_auth_method": authentication]) { $1 }
        let response = try await send(.POST, "\(issuer)/oauth2/clients", json: all)
        guard response.status == .created else { throw Failure(response: "\(response.status)") }
        return try JSONDecoder().decode(Client.self, from: Data(response.body.readableBytesView))
    }

    /// Creates or changes a user.
    /// - Parameter claims: JSON values.
    package func put(_ subject: String, claims: [String: Any]) async throws {
        let response = try await send(.PUT, "\(issuer)/users/\(subject)", json: claims)
        guard response.status == .noContent else { throw Failure(response: "\(response.status)") }
    }

    /// Logs a user in on the provider's page, like a browser.
    /// - Parameter url: the URL to which we redirected the browser.
    /// - Returns: the URL to which the provider redirects it.
    package func logIn(_ subject: String, at url: String) async throws -> String {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        request.body = .bytes(ByteBuffer(string: "sub=\(subject)"))
        let response = try await client.execute(request, timeout: .seconds(10))
        guard let location = response.headers.first(name: "Location") else {
            throw Failure(response: "\(response.status)")
        }
        return location
    }

    private func send(
        _ method: HTTPMethod, _ url: String, json: [String: Any]
    ) async throws -> (status: HTTPResponseStatus, body: ByteBuffer) {
        var request = HTTPClientRequest(url: url)
        request.method = method
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(bytes: try JSONSerialization.data(withJSONObject: json)))
        let response = try await client.execute(request, timeout: .seconds(10))
        return (response.status, try await response.body.collect(upTo: 1_000_000))
    }
}
