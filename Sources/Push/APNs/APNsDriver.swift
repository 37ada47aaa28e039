package import AsyncHTTPClient
package import Domain
package import Foundation
import NIOCore
import NIOHTTP1
import Outbound
package import Ports

/// Apple Push Notification service, with token-based authentication
/// (https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns).
package struct APNsDriver: PushDriver {
    /// For one call; Apple specifies none.
    package static let standardDeadline = Duration.seconds(15)
    /// Maximum bytes of `apns-collapse-id`.
    private static let maximumCollapseKeyLength = 64

    private let tokens: APNsTokens
    private let topic: String
    private let baseURL: String
    private let http: PushHTTP

    /// - Parameters:
    ///   - key: the key file of `settings`, read with `APNsKey(settings:)`.
    ///   - client: shut down by the caller; create it with `clientConfiguration`.
    ///   - deadline: for one call, from connecting to the last byte of the response.
    package init(settings: APNsSettings, key: APNsKey, client: HTTPClient, deadline: Duration = standardDeadline) {
        tokens = APNsTokens(key: key)
        topic = settings.topic
        baseURL = settings.baseURL
        http = PushHTTP(client: client, deadline: deadline, service: "APNs")
    }

    /// HTTP/2, which Apple requires, is negotiated by TLS. Connections are kept between the batches of a burst: Apple
    /// treats many short ones as an attack. They are not kept longer, since cloud gateways drop connections that are
    /// idle for 4 to 6 minutes: a request that then hits its deadline does not close the connection, and the next ones
    /// hang on it too.
    package static var clientConfiguration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.httpVersion = .automatic
        configuration.timeout.connect = .seconds(5)
        configuration.connectionPool.idleTimeout = .minutes(3)
        return configuration
    }

    /// Sends the message to Apple; retries with a new token if the first has expired.
    package func send(_ message: PushMessage, to address: Device.Address, at now: Date) async throws {
        guard case .apns(let device) = address else { throw PushError.rejected("the device is not one of Apple's") }
        guard now < message.expires else { throw PushError.rejected("the message has expired") }
        // It becomes part of the path. Apple says that its length may change, so the length is not checked.
        guard device.wholeMatch(of: /[0-9A-Fa-f]+/) != nil else { throw PushError.unregistered() }
        guard message.collapseKey.utf8.count <= Self.maximumCollapseKeyLength else {
            throw PushError.rejected("the collapse key is too long")
        }
        let payload = try APNsPayload(message).encoded()
        guard payload.count <= APNsPayload.maximumLength else { throw PushError.rejected("the message is too long") }
        var request = request(message, payload: payload, device: device)
        let token = try tokens.token(at: now)
        request.headers.replaceOrAdd(name: "authorization", value: "bearer \(token)")
        var response = try await http.send(request)
        if response.status == 403, APNsRejection(response).reason == "ExpiredProviderToken",
            let next = try tokens.replacement(of: token, at: now)
        {
            request.headers.replaceOrAdd(name: "authorization", value: "bearer \(next)")
            response = try await http.send(request)
        }
        guard response.status != 200 else { return }
        throw APNsRejection(response).error(status: response.status, wait: response.wait(at: now))
    }

    private func request(_ message: PushMessage, payload: [UInt8], device: String) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: "\(baseURL)/3/device/\(device)")
        request.method = .POST
        request.headers = [
            "apns-topic": topic,
            "apns-push-type": "alert",
            "apns-priority": "10",
            "apns-expiration": "\(Int64(message.expires.timeIntervalSince1970))",
            "apns-collapse-id": message.collapseKey,
            "content-type": "application/json",
        ]
        request.body = .bytes(ByteBuffer(bytes: payload))
        return request
    }
}
