import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Shared

/// Calls to a push service: each ends by a deadline, and none reads more than it should.
struct PushHTTP: Sendable {
    /// What came back.
    struct Answer: Sendable {
        let status: Int
        let headers: HTTPHeaders
        let body: Data

        /// How long the service asks to be left alone.
        func wait(at now: Date) -> Duration? {
            headers.first(name: "Retry-After").flatMap { RetryAfter.duration($0, now: now) }
        }
    }

    /// Bytes. Their answers have a few hundred; what is longer is not theirs.
    private static let answerLimit = 64 * 1024

    let client: HTTPClient
    /// From connecting to the last byte of the answer.
    let deadline: Duration
    /// The service, as the subject of a sentence for operators.
    let service: String

    /// - Throws: `PushError.unavailable`; `CancellationError` if the caller was cancelled.
    func send(_ request: HTTPClientRequest) async throws -> Answer {
        do {
            // AsyncHTTPClient's own time-out ends with the head of the answer, and the body can hang as well; over HTTP/2 it
            // also waits on when a server answers before it has read the request and resets the stream.
            let late = PushError.unavailable("\(service) does not answer in time")
            return try await withDeadline(deadline, orThrow: late) { try await exchange(request) }
        } catch let error as PushError {
            throw error
        } catch is NIOTooManyBytesError {
            throw PushError.unavailable("\(service)'s answer is too long")
        } catch {
            // The reason the caller gave up is not the service's.
            try Task.checkCancellation()
            // Whatever went wrong on the way: nothing says that another attempt would fail as well.
            throw PushError.unavailable("\(service) cannot be reached, or its answer broke off")
        }
    }

    private func exchange(_ request: HTTPClientRequest) async throws -> Answer {
        // Twice the deadline, so that `withDeadline` ends first and says why: the client's own end looks like any fault.
        let response = try await client.execute(request, timeout: TimeAmount(deadline * 2))
        let body = try await response.body.collect(upTo: Self.answerLimit)
        return Answer(
            status: Int(response.status.code), headers: response.headers, body: Data(body.readableBytesView))
    }
}
