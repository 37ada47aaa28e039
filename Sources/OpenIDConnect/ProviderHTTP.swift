import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// Sends requests to a provider, with a deadline and a size limit for each.
struct ProviderHTTP: Sendable {
    /// The provider's response.
    struct Answer: Sendable {
        let status: UInt
        let body: Data
    }

    /// Bytes. The documents of large providers have about ten thousand.
    static let bodyLimit = 256 * 1024

    let client: HTTPClient
    /// From connecting to the last byte of the response.
    let deadline: Duration

    /// - Throws: `OpenIDError.unavailable`; `CancellationError` if the caller was cancelled.
    func send(_ request: HTTPClientRequest) async throws -> Answer {
        do {
            return try await withDeadline { try await exchange(request) }
        } catch let error as OpenIDError {
            throw error
        } catch is NIOTooManyBytesError {
            throw OpenIDError.unavailable("the answer is too long")
        } catch {
            // Cancellation by the caller is not an error of the provider.
            try Task.checkCancellation()
            throw OpenIDError.unavailable("it is unreachable, or the connection was lost")
        }
    }

    /// Loads a JSON document.
    /// - Throws: as `send`; also for a status other than 200, and if decoding fails.
    func document<Document: Decodable>(_ type: Document.Type, at url: String) async throws -> Document {
        var request = HTTPClientRequest(url: url)
        request.headers.add(name: "Accept", value: "application/json")
        let answer = try await send(request)
        guard answer.status == 200 else {
            throw OpenIDError.unavailable("a document was answered with \(answer.status)")
        }
        return try Self.decode(type, from: answer.body)
    }

    /// - Throws: `OpenIDError.unavailable`, without the decoder's message, which quotes the document.
    static func decode<Document: Decodable>(_ type: Document.Type, from data: Data) throws -> Document {
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            throw OpenIDError.unavailable("an answer is not a \(type)")
        }
    }

    private func exchange(_ request: HTTPClientRequest) async throws -> Answer {
        // Twice the deadline, so that `withDeadline` ends first, with its own error: the client's time-out looks like
        // any other error.
        let response = try await client.execute(request, timeout: TimeAmount(deadline * 2))
        let body = try await response.body.collect(upTo: Self.bodyLimit)
        return Answer(status: response.status.code, body: Data(body.readableBytesView))
    }

    /// AsyncHTTPClient's own time-out ends with the response head, but the body can hang too.
    private func withDeadline(_ body: @escaping @Sendable () async throws -> Answer) async throws -> Answer {
        try await withThrowingTaskGroup(of: Answer.self) { group in
            group.addTask(operation: body)
            group.addTask {
                try await Task.sleep(for: deadline)
                throw OpenIDError.unavailable("it does not answer in time")
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }
}
