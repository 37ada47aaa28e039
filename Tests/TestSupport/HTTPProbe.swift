import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// A plain HTTP client for tests against a running server.
public enum HTTPProbe {
    /// What came back.
    public struct Answer: Sendable {
        /// The status code.
        public let status: Int
        /// The body as text.
        public let text: String
        /// Seconds to come back after.
        public let retryAfter: Int?

        /// The body's members, if it is a JSON object.
        public var object: [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any] ?? [:]
        }
    }

    /// As many connections as a test has clients; it ends with the test process.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        // A vote that was lost on its way is the test's to repeat, not the client's.
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    /// Reads an address.
    /// - Throws: an error of the connection, or after ten seconds without an answer.
    public static func get(_ url: String, token: String? = nil) async throws -> Answer {
        try await send(HTTPClientRequest(url: url), token: token)
    }

    /// Sends JSON.
    /// - Throws: as `get`.
    public static func post(_ url: String, token: String? = nil, json: String) async throws -> Answer {
        try await send(request(url, type: "application/json; charset=utf-8", body: json), token: token)
    }

    /// Sends a form, already encoded.
    /// - Throws: as `get`.
    public static func post(_ url: String, token: String? = nil, form: String) async throws -> Answer {
        try await send(request(url, type: "application/x-www-form-urlencoded", body: form), token: token)
    }

    /// Sends bytes of a kind.
    /// - Throws: as `get`.
    public static func post(
        _ url: String, token: String? = nil, type: String, bytes: [UInt8]
    ) async throws -> Answer {
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

    /// The token goes bare, as the first clients send it.
    private static func send(_ request: HTTPClientRequest, token: String?) async throws -> Answer {
        var request = request
        if let token { request.headers.add(name: "authorization", value: token) }
        let response = try await client.execute(request, timeout: .seconds(10))
        let body = try await response.body.collect(upTo: 1 << 20)
        return Answer(
            status: Int(response.status.code), text: String(buffer: body),
            retryAfter: response.headers.first(name: "retry-after").flatMap(Int.init))
    }
}
