import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import Outbound
import Ports

/// Sends signed requests to a bucket, and retries each until its deadline as long as that may help.
struct S3Exchange: Sendable {
    let settings: S3Settings
    let client: HTTPClient
    let clock: WallClock
    let timing: S3Timing
    let logger: Logger

    /// The response of a successful request; `nil` if the object does not exist.
    ///
    /// All requests can be repeated safely: a put stores the same object, and a deleted object stays deleted.
    /// - Throws: `ObjectStoreError`; `CancellationError` if the caller was cancelled.
    func send(_ request: S3Request) async throws -> S3Response? {
        let end = ContinuousClock.now + timing.deadline
        var attempt = 1
        while true {
            do {
                return try await self.attempt(request, before: end)
            } catch let failure as S3Failure {
                let wait = timing.wait(
                    afterAttempt: attempt, retryAfter: failure.retryAfter, random: Double.random(in: 0..<1))
                guard failure.isPassing, attempt < timing.attempts, ContinuousClock.now + wait < end else {
                    throw failure.error
                }
                logger.debug(
                    "Retrying object store request",
                    metadata: ["objects.attempt": "\(attempt)", "objects.failure": "\(failure.error)"])
                try await Task.sleep(for: wait)
                attempt += 1
            }
        }
    }

    /// - Throws: `S3Failure`; `CancellationError` if the caller was cancelled.
    private func attempt(_ request: S3Request, before end: ContinuousClock.Instant) async throws -> S3Response? {
        let response: S3Response
        do {
            let deadline = min(timing.attemptDeadline, ContinuousClock.now.duration(to: end))
            let exchange = BoundedExchange(client: client, deadline: deadline, responseLimit: request.responseLimit)
            response = S3Response(try await exchange.send(signed(request)))
        } catch let failure as BoundedExchange.Failure {
            throw S3Failure(onTheWay: failure)
        }
        if (200...299).contains(response.status) { return response }
        let rejection = S3Rejection(response, bucketSetting: settings.bucketSetting, at: clock.now)
        if rejection.isMissingObject { return nil }
        throw rejection.failure
    }

    /// Signed again for each attempt: a signature is valid only within 15 minutes of its time.
    private func signed(_ request: S3Request) -> HTTPClientRequest {
        let origin = settings.origin(of: settings.endpoint)
        let path = request.path(in: settings)
        let query = CanonicalRequest.encode(request.query)
        var signed = HTTPClientRequest(
            url: origin + PercentEncoding.path(path) + (query.isEmpty ? "" : "?\(query)"))
        signed.method = HTTPMethod(rawValue: request.method)
        let headers = RequestSigner(credentials: settings.credentials, region: settings.region).headers(
            method: request.method, path: path, query: request.query,
            headers: [("host", PresignedURL.host(of: origin))] + request.headers, body: request.body, date: clock.now)
        for header in headers { signed.headers.add(name: header.name, value: header.value) }
        if !request.body.isEmpty || request.method == "PUT" {
            signed.body = .bytes(ByteBuffer(bytes: request.body))
        }
        return signed
    }
}
