import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Outbound
import Services

/// Sends requests to a push service, with a deadline and a size limit for each.
struct PushHTTP: Sendable {
    /// The service's response.
    struct Answer: Sendable {
        let status: Int
        let headers: HTTPHeaders
        let body: Data

        /// How long the service asks us to wait.
        func wait(at now: Date) -> Duration? {
            headers.first(name: "Retry-After").flatMap { RetryAfter.duration($0, now: now) }
        }
    }

    /// Bytes. The services' responses have a few hundred; anything longer is not from them.
    private static let answerLimit = 64 * 1024

    let client: HTTPClient
    /// From connecting to the last byte of the response.
    let deadline: Duration
    /// The service's name, as the subject of a sentence for operators.
    let service: String

    /// - Throws: `PushError.unavailable`; `CancellationError` if the caller was cancelled.
    func send(_ request: HTTPClientRequest) async throws -> Answer {
        do {
            // AsyncHTTPClient's own time-out ends with the response head, but the body can hang too. Over HTTP/2 it
            // also hangs if a server responds before it has read the request and resets the stream.
            let late = PushError.unavailable("\(service) does not answer in time")
            return try await withDeadline(deadline, orThrow: late) { try await exchange(request) }
        } catch let error as PushError {
            throw error
        } catch is NIOTooManyBytesError {
            throw PushError.unavailable("\(service)'s answer is too long")
        } catch {
            // Cancellation by the caller is not an error of the service.
            try Task.checkCancellation()
            // Unknown network errors: a retry may succeed.
            throw PushError.unavailable("\(service) cannot be reached, or its answer broke off")
        }
    }

    private func exchange(_ request: HTTPClientRequest) async throws -> Answer {
        // Twice the deadline, so that `withDeadline` ends first, with its own error: the client's time-out looks like
        // any other error.
        let response = try await client.execute(request, timeout: TimeAmount(deadline * 2))
        let body = try await response.body.collect(upTo: Self.answerLimit)
        return Answer(
            status: Int(response.status.code), headers: response.headers, body: Data(body.readableBytesView))
    }
}
