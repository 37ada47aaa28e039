import AsyncHTTPClient
import Foundation
import NIOHTTP1
import Outbound

/// Sends requests to a provider, with a deadline and a size limit for each.
struct ProviderHTTP: Sendable {
    /// Bytes. The documents of large providers have about ten thousand.
    static let bodyLimit = 256 * 1024

    private let exchange: BoundedExchange

    /// - Parameter deadline: from connecting to the last byte of the response.
    init(client: HTTPClient, deadline: Duration) {
        exchange = BoundedExchange(client: client, deadline: deadline, responseLimit: Self.bodyLimit)
    }

    /// - Throws: `OpenIDError.unavailable`; `CancellationError` if the caller was cancelled.
    func send(_ request: HTTPClientRequest) async throws -> BoundedExchange.Response {
        do {
            return try await exchange.send(request)
        } catch BoundedExchange.Failure.tooLong {
            throw OpenIDError.unavailable("the answer is too long")
        } catch let failure as BoundedExchange.Failure {
            throw OpenIDError.unavailable(failure.sentence(about: "it"))
        }
    }

    /// Loads a JSON document.
    /// - Throws: as `send`; also for a status other than 200, and if decoding fails.
    func document<Document: Decodable>(_ type: Document.Type, at url: String) async throws -> Document {
        var request = HTTPClientRequest(url: url)
        request.headers.add(name: "Accept", value: "application/json")
        let response = try await send(request)
        guard response.status == 200 else {
            throw OpenIDError.unavailable("a document was answered with \(response.status)")
        }
        return try Self.decode(type, from: response.body)
    }

    /// - Throws: `OpenIDError.unavailable`, without the decoder's message, which quotes the document.
    static func decode<Document: Decodable>(_ type: Document.Type, from data: Data) throws -> Document {
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            throw OpenIDError.unavailable("an answer is not a \(type)")
        }
    }
}
