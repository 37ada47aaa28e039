import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// A simple HTTP client for tests against a running server.
package enum HTTPProbe {
    /// A response.
    package struct Response: Sendable {
        /// The status code.
        package let status: Int
        /// The body as text.
        package let text: String
        /// `Retry-After` in seconds.
        package let retryAfter: Int?

        /// The members of the body's JSON object; empty if it is none.
        package var object: [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any] ?? [:]
        }
    }

    /// Allows as many connections as a test has clients; lives as long as the test process.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        // The test, not the client, repeats a lost vote.
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    /// Sends a GET.
    /// - Throws: connection errors, and an error after ten seconds without a response.
    package static func get(_ url: String, token: String? = nil) async throws -> Response {
        try await send(HTTPClientRequest(url: url), token: token)
    }

    /// Sends JSON.
    /// - Throws: as `get`.
    package static func post(_ url: String, token: String? = nil, json: String) async throws -> Response {
        try await send(request(url, type: "application/json; charset=utf-8", body: json), token: token)
    }

    /// Sends an encoded form.
    /// - Throws: as `get`.
    package static func post(_ url: String, token: String? = nil, form: String) async throws -> Response {
        try await send(request(url, type: "application/x-www-form-urlencoded", body: form), token: token)
    }

    /// Sends bytes with a content type.
    /// - Throws: as `get`.
    package static func post(
        _ url: String, token: String? = nil, type: String, bytes: [UInt8]
    ) async throws -> Response {
        var request = request(url, type: type, body: "")
        request.body = .bytes(ByteBuffer(bytes: bytes))
        return try await send(request, token: token)
    }

    private static func request(_ url: String, type: String, body: String) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "content-type", value: type)
        request.body = .bytes(ByteBuffer(string: body))
        return request
    }

    /// Sends the bare token, like the first clients.
    private static func send(_ request: HTTPClientRequest, token: String?) async throws -> Response {
        var request = request
        if let token { request.headers.add(name: "authorization", value: token) }
        let response = try await client.execute(request, timeout: .seconds(10))
        let body = try await response.body.collect(upTo: 1 << 20)
        return Response(
            status: Int(response.status.code), text: String(buffer: body),
            retryAfter: response.headers.first(name: "retry-after").flatMap(Int.init))
    }
}
