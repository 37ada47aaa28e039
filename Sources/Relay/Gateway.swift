import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// The other end: the service that opens the messages.
protocol Gateway: Sendable {
    /// Forwards a message, and nothing about its sender.
    /// - Throws: if there is no answer.
    func forward(_ message: [UInt8]) async throws -> GatewayAnswer

    /// Its key configurations.
    /// - Throws: if there is no answer.
    func keys() async throws -> GatewayAnswer
}

/// An answer of the gateway. The relay cannot read what is in it.
struct GatewayAnswer: Hashable, Sendable {
    let status: Int
    let mediaType: String
    let body: [UInt8]

    /// Whether the same message would get the same answer again.
    var isFinal: Bool { (200..<500).contains(status) && ![408, 429].contains(status) }
}

/// A gateway at an address.
struct HTTPGateway: Gateway {
    let client: HTTPClient
    /// Of the API, such as `https://happiness.example.org`.
    let address: String

    /// RFC 9540 §4.
    private static let path = "/.well-known/ohttp-gateway"
    /// Bytes.
    private static let longestAnswer = 64 * 1024
    private static let patience = TimeAmount.seconds(10)

    func forward(_ message: [UInt8]) async throws -> GatewayAnswer {
        var request = HTTPClientRequest(url: address + Self.path)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "message/ohttp-req")
        request.body = .bytes(ByteBuffer(bytes: message))
        return try await answer(to: request)
    }

    func keys() async throws -> GatewayAnswer {
        try await answer(to: HTTPClientRequest(url: address + Self.path))
    }

    private func answer(to request: HTTPClientRequest) async throws -> GatewayAnswer {
        let response = try await client.execute(request, timeout: Self.patience)
        let body = try await response.body.collect(upTo: Self.longestAnswer)
        return GatewayAnswer(
            status: Int(response.status.code), mediaType: response.headers.first(name: "Content-Type") ?? "",
            body: Array(body.readableBytesView))
    }
}
