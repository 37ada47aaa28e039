package import AsyncHTTPClient
package import Domain
package import Foundation
import NIOCore
import NIOHTTP1
package import Ports
import Synchronization

/// Firebase Cloud Messaging's HTTP v1 API: `POST /v1/projects/{project}/messages:send`, one request per device
/// (https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages/send).
package final class FCMDriver: PushDriver {
    /// FCM requires at least 10 s (https://firebase.google.com/docs/cloud-messaging/scale-fcm).
    package static let standardDeadline = Duration.seconds(15)

    private let url: String
    private let http: PushHTTP
    private let tokens: GoogleAccessTokens
    /// Messages that FCM accepted recently: if it rejects one of them later, the device must be the cause.
    private let accepted = Mutex<Set<PushMessage>>([])
    /// Maximum size of `accepted`: the messages of several teams in both languages and two wordings. Beyond it all are
    /// forgotten; those still being sent are soon added again.
    private static let maximumRemembered = 256

    /// - Parameters:
    ///   - client: shut down by the caller; create it with `clientConfiguration`.
    ///   - deadline: for one call, from connecting to the last byte of the response.
    /// - Throws: `SettingsError` if the service account's file is unusable.
    package init(
        settings: FCMSettings, client: HTTPClient, deadline: Duration = standardDeadline
    ) throws(SettingsError) {
        let account = try FCMServiceAccount(path: settings.serviceAccountFile)
        url = "\(settings.baseURL)/v1/projects/\(account.projectID)/messages:send"
        http = PushHTTP(client: client, deadline: deadline, service: "FCM")
        tokens = GoogleAccessTokens(account: account, client: client, deadline: deadline)
    }

    /// No redirects: they would send the access token to another server. HTTP/1.1 was measured faster than HTTP/2 here,
    /// and with responses of 50 ms 256 connections reach twice the standard rate.
    package static var clientConfiguration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        configuration.timeout.connect = .seconds(5)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 256
        return configuration
    }

    /// Sends the message. Renews a rejected access token once.
    package func send(_ message: PushMessage, to address: Device.Address, at now: Date) async throws {
        guard case .fcm(let token) = address else { throw PushError.rejected("not a device of FCM") }
        let body = try Self.encode(try FCMMessage(message, token: token, at: now))
        var verdict = try await attempt(body, at: now)
        if verdict == .unauthenticated { verdict = try await attempt(body, at: now) }
        switch verdict {
        case .accepted: remember(message)
        case .unauthenticated: throw PushError.misconfigured("FCM does not take the service account's token (401)")
        case .invalidArgument:
            guard accepted.withLock({ $0.contains(message) }) else {
                throw PushError.rejected("FCM finds device or message invalid (400 INVALID_ARGUMENT)")
            }
            throw PushError.unregistered()
        case .failed(let error): throw error
        }
    }

    private func remember(_ message: PushMessage) {
        accepted.withLock { accepted in
            if accepted.count >= Self.maximumRemembered, !accepted.contains(message) { accepted.removeAll() }
            accepted.insert(message)
        }
    }

    private func attempt(_ body: Data, at now: Date) async throws -> FCMResponse.Verdict {
        let token = try await tokens.token(at: now)
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(bytes: body))
        let verdict = FCMResponse(response: try await http.send(request)).verdict(at: now)
        if verdict == .unauthenticated { await tokens.forget(token) }
        return verdict
    }

    private static func encode(_ message: FCMMessage) throws(PushError) -> Data {
        let encoder = JSONEncoder()
        // Escaped slashes would double their size in links.
        encoder.outputFormatting = .withoutEscapingSlashes
        do {
            return try encoder.encode(message)
        } catch {
            throw .rejected("the message cannot be written as JSON")
        }
    }
}
