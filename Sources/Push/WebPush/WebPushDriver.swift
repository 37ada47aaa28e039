package import AsyncHTTPClient
package import Domain
package import Foundation
import NIOCore
import NIOHTTP1
import Outbound
package import Ports

/// Sends to browsers' push services (RFC 8030), with encryption (RFC 8291) and VAPID (RFC 8292).
package struct WebPushDriver: PushDriver {
    /// For one call. Push services respond in well under a second; RFC 8030 has no number.
    package static let standardDeadline = Duration.seconds(15)
    /// Seconds: the maximum of FCM's service; other services reduce it themselves (RFC 8030 §5.2).
    private static let maximumTimeToLive = 28 * 86_400

    private let tokens: VAPIDTokens
    private let policy: WebPushPolicy
    private let http: PushHTTP

    /// - Parameters:
    ///   - key: the one with which browsers subscribed.
    ///   - client: shut down by the caller; create it with `clientConfiguration`.
    ///   - deadline: for one call, from connecting to the last byte of the response.
    package init(settings: WebPushSettings, key: VAPIDKey, client: HTTPClient, deadline: Duration = standardDeadline) {
        tokens = VAPIDTokens(key: key, subject: settings.subject)
        policy = settings.policy
        http = PushHTTP(client: client, deadline: deadline, service: "The push service")
    }

    /// No redirects: they would bypass `WebPushPolicy`. HTTP/1.1, since AsyncHTTPClient's HTTP/2 hangs if a server
    /// responds before it has read the body, and no push service requires more.
    package static var clientConfiguration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        configuration.timeout.connect = .seconds(5)
        return configuration
    }

    /// Posts the message to the browser's push service.
    package func send(_ message: PushMessage, to address: Device.Address, at now: Date) async throws {
        guard case .webPush(let subscription) = address else {
            throw PushError.rejected("the device is not a browser")
        }
        guard now < message.expires else { throw PushError.rejected("the message has expired") }
        // Checked again: the list of services may have become shorter since the browser was registered.
        guard let endpoint = WebPushEndpoint(subscription.endpoint, policy: policy) else {
            throw PushError.rejected("the push service is not among WEBPUSH_ALLOWED_HOSTS")
        }
        let request = try request(message, to: endpoint, of: subscription, now: now)
        try await http.send(request).judgeWebPush(at: now)
    }

    private func request(
        _ message: PushMessage, to endpoint: WebPushEndpoint, of subscription: WebPushSubscription, now: Date
    ) throws -> HTTPClientRequest {
        guard message.collapseKey.wholeMatch(of: /[A-Za-z0-9\-_]{1,32}/) != nil else {
            throw PushError.rejected("the collapse key is no topic (RFC 8030 §5.4)")
        }
        let text = try WebPushPayload(message).encoded()
        guard text.count <= WebPushEncryption.maximumLength else {
            throw PushError.rejected("the message is too long")
        }
        let body: [UInt8]
        do {
            body = try WebPushEncryption.encrypt(text, for: subscription)
        } catch {
            throw PushError.rejected("the browser's key is no key of P-256")
        }
        let timeToLive = min(Int(message.expires.timeIntervalSince(now)), Self.maximumTimeToLive)
        var request = HTTPClientRequest(url: endpoint.url)
        request.method = .POST
        request.headers = [
            "Authorization": try tokens.authorization(for: endpoint.origin, at: now),
            "TTL": "\(timeToLive)",
            "Topic": message.collapseKey,
            "Urgency": "normal",
            "Content-Type": "application/octet-stream",
            "Content-Encoding": "aes128gcm",
        ]
        request.body = .bytes(ByteBuffer(bytes: body))
        return request
    }
}

extension BoundedExchange.Response {
    /// - Throws: `PushError` unless the push service accepted the message.
    fileprivate func judgeWebPush(at now: Date) throws(PushError) {
        switch status {
        // 201 by RFC 8030 §5, 202 with receipts (§5.1); Edge's service responds 200.
        case 200, 201, 202: return
        case 404, 410: throw .unregistered()
        case 413: throw .rejected("the push service finds the message too large (413)")
        // For a browser that subscribed with another key (RFC 8292 §4.2), or for all if the clock is wrong.
        case 401, 403: throw .notOurs("the push service does not accept VAPID_PRIVATE_KEY (\(status))")
        case 429: throw .unavailable("the push service asks for fewer messages (429)", retryAfter: wait(at: now))
        case 408, 500...599:
            throw .unavailable("the push service has a problem (\(status))", retryAfter: wait(at: now))
        default: throw .rejected("the push service refused the message (\(status))")
        }
    }
}
