package import AsyncHTTPClient
import Domain
package import Foundation
import NIOCore
package import NIOHTTP1
import NIOPosix
import NIOSSL

/// One request to another server and its whole response, with a limit of time and of size.
package struct BoundedExchange: Sendable {
    /// A whole response, whatever its status.
    package struct Response: Sendable {
        package let status: Int
        package let headers: HTTPHeaders
        package let body: Data

        /// How long the server asks us to wait.
        package func wait(at now: Date) -> Duration? {
            headers.first(name: "Retry-After").flatMap { RetryAfter.duration($0, now: now) }
        }
    }

    /// Why there is no answer. Only after `notConnected` the server has certainly not received the request.
    package enum Failure: Error {
        /// The deadline has passed.
        case late
        /// The answer is longer than the limit.
        case tooLong
        /// No connection was made.
        case notConnected(any Error)
        /// The connection failed, before or during the answer.
        case brokenOff(any Error)

        /// A sentence for operators, without its full stop.
        /// - Parameter server: the subject of the sentence.
        package func sentence(about server: String) -> String {
            switch self {
            case .late: "\(server) does not answer in time"
            case .tooLong: "\(server)'s answer is too long"
            case .notConnected, .brokenOff: "\(server) is unreachable, or the connection was lost"
            }
        }
    }

    private let client: HTTPClient
    private let deadline: Duration
    private let responseLimit: Int

    /// - Parameters:
    ///   - client: shut down by the caller.
    ///   - deadline: from connecting to the last byte of the answer.
    ///   - responseLimit: bytes of a response's body.
    package init(client: HTTPClient, deadline: Duration, responseLimit: Int) {
        self.client = client
        self.deadline = deadline
        self.responseLimit = responseLimit
    }

    /// Sends the request once.
    /// - Throws: `Failure`; `CancellationError` if the caller was cancelled.
    package func send(_ request: HTTPClientRequest) async throws -> Response {
        do {
            // AsyncHTTPClient's own time-out ends with the response head, but the body can hang too. Over HTTP/2 it
            // also hangs if a server responds before it has read the request and resets the stream.
            return try await withDeadline(deadline, orThrow: Failure.late) { try await exchange(request) }
        } catch let failure as Failure {
            throw failure
        } catch is NIOTooManyBytesError {
            throw Failure.tooLong
        } catch {
            // Cancellation by the caller is not an error of the server.
            try Task.checkCancellation()
            throw Self.isFromConnecting(error) ? Failure.notConnected(error) : Failure.brokenOff(error)
        }
    }

    private func exchange(_ request: HTTPClientRequest) async throws -> Response {
        // Twice the deadline, so that `withDeadline` ends first, with its own error: the client's time-out looks like
        // any other error.
        let response = try await client.execute(request, timeout: TimeAmount(deadline * 2))
        let body = try await response.body.collect(upTo: responseLimit)
        return Response(
            status: Int(response.status.code), headers: response.headers, body: Data(body.readableBytesView))
    }

    /// Whether the error says that no connection was made. Others may come before the request was sent or after.
    private static func isFromConnecting(_ error: any Error) -> Bool {
        switch error {
        // The name is not known, or none of its addresses answers.
        case is NIOConnectionError: true
        // An address in numbers.
        case let error as IOError: [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH].contains(error.errnoCode)
        case let error as HTTPClientError: [.connectTimeout, .tlsHandshakeTimeout].contains(error)
        case NIOSSLError.handshakeFailed, is NIOSSLExtraError: true
        default: false
        }
    }
}
