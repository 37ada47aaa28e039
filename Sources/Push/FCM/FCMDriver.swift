public import AsyncHTTPClient
public import Foundation
import NIOCore
import NIOHTTP1
public import Shared
import Synchronization

/// Firebase Cloud Messaging's HTTP v1 API: `POST /v1/projects/{project}/messages:send`, one request per device
/// (https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages/send).
public final class FCMDriver: PushDriver {
    /// FCM asks for 10 s at least (https://firebase.google.com/docs/cloud-messaging/scale-fcm).
    public static let standardDeadline = Duration.seconds(15)

    private let url: String
    private let http: PushHTTP
    private let tokens: GoogleAccessTokens
    /// Messages that FCM took lately, by which a later refusal of the same one is known to be about the device.
    private let accepted = Mutex<Set<PushMessage>>([])
    /// Of `accepted`: several teams' in both languages and two wordings. Past this all are forgotten, and those that
    /// still go out are soon known again.
    private static let maximumRemembered = 256

    /// - Parameters:
    ///   - client: belongs to the caller, who shuts it down; build it with `clientConfiguration`.
    ///   - deadline: of one call, from connecting to the last byte of the answer.
    /// - Throws: `SettingsError` if the service account's file cannot be used.
    public init(
        settings: FCMSettings, client: HTTPClient, deadline: Duration = standardDeadline
    ) throws(SettingsError) {
        let account = try FCMServiceAccount(path: settings.serviceAccountFile)
        url = "\(settings.baseURL)/v1/projects/\(account.projectID)/messages:send"
        http = PushHTTP(client: client, deadline: deadline, service: "FCM")
        tokens = GoogleAccessTokens(account: account, client: client, deadline: deadline)
    }

    /// A redirect would carry the access token to another place. HTTP/1.1 was measured faster than HTTP/2 here, and
    /// with answers of 50 ms 256 connections reach the standard rate twice.
    public static var clientConfiguration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        configuration.timeout.connect = .seconds(5)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 256
        return configuration
    }

    /// Hands the message over. An access token that is refused is renewed once.
    public func send(_ message: PushMessage, to address: Device.Address, at now: Date) async throws {
        guard case .fcm(let token) = address else { throw PushError.refused("not a device of FCM") }
        let body = try Self.encode(try FCMMessage(message, token: token, at: now))
        var verdict = try await attempt(body, at: now)
        if verdict == .unauthenticated { verdict = try await attempt(body, at: now) }
        switch verdict {
        case .accepted: remember(message)
        case .unauthenticated: throw PushError.misconfigured("FCM does not take the service account's token (401)")
        case .invalidArgument:
            guard accepted.withLock({ $0.contains(message) }) else {
                throw PushError.refused("FCM finds device or message invalid (400 INVALID_ARGUMENT)")
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

    private func attempt(_ body: Data, at now: Date) async throws -> FCMAnswer.Verdict {
        let token = try await tokens.token(at: now)
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(bytes: body))
        let verdict = FCMAnswer(answer: try await http.send(request)).verdict(at: now)
        if verdict == .unauthenticated { await tokens.forget(token) }
        return verdict
    }

    private static func encode(_ message: FCMMessage) throws(PushError) -> Data {
        let encoder = JSONEncoder()
        // A link's slashes would take twice the room.
        encoder.outputFormatting = .withoutEscapingSlashes
        do {
            return try encoder.encode(message)
        } catch {
            throw .refused("the message cannot be written as JSON")
        }
    }
}
