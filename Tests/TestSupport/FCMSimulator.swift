import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// Simulates Firebase Cloud Messaging's `messages:send` on a local port, according to the public documentation
/// (https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages/send). It rejects what the real service
/// rejects, and fails on demand.
package final class FCMSimulator: Sendable {
    /// An accepted message.
    package struct Message: Sendable {
        /// The device's token.
        package let token: String
        /// The whole message, names in camel case.
        package let content: JSONValue

        /// The string at a path of names.
        package subscript(path: String...) -> String? {
            path.reduce(Optional(content)) { $0?[$1] }?.text
        }
    }

    /// How a request fails.
    package enum Fault: Sendable, Equatable {
        /// The device is no longer registered.
        case unregistered
        /// The device belongs to another project.
        case senderIDMismatch
        /// The token or the message is invalid; `field` is the field named in a detail.
        case invalidArgument(field: String? = nil)
        /// The project has no valid key for APNs or Web Push.
        case thirdPartyAuthenticationError
        /// Too many messages.
        case quotaExceeded(retryAfter: String? = nil)
        /// An internal error.
        case internalError
        /// The service is overloaded.
        case unavailable(retryAfter: String? = nil)
        /// The access token is not valid.
        case unauthenticated
        /// Any status, with a body that is not from FCM.
        case status(Int)
        /// Accepts the message but breaks the response.
        case broken(SimulatorBreak)
    }

    private struct State {
        var faults: [String: [Fault]] = [:]
        var messages: [Message] = []
        var requests = 0
        var port = 0
    }

    private let tokens: GoogleTokenSimulator
    private let state = Mutex(State())

    private init(tokens: GoogleTokenSimulator) {
        self.tokens = tokens
    }

    /// Runs a simulator while the closure runs.
    /// - Parameter tokens: issues the access tokens to accept; its account's project is the only known one.
    package static func with(
        tokens: GoogleTokenSimulator, _ body: @escaping @Sendable (FCMSimulator) async throws -> Void
    ) async throws {
        let simulator = FCMSimulator(tokens: tokens)
        let router = Router()
        router.on("**", method: .post) { request, _ in try await simulator.response(request) }
        try await RouterServer.with(router) { port in
            simulator.state.withLock { $0.port = port }
            try await body(simulator)
        }
    }

    /// Value for `FCM_BASE_URL`.
    package var baseURL: String { "http://127.0.0.1:\(state.withLock { $0.port })" }

    /// Accepted messages, in order; includes those whose response was lost by a fault.
    package var messages: [Message] { state.withLock { $0.messages } }

    /// Number of requests, including rejected ones.
    package var requests: Int { state.withLock { $0.requests } }

    /// Makes the next requests for a device fail like this, one after the other; later ones succeed.
    package func fail(_ token: String, _ faults: Fault...) {
        state.withLock { $0.faults[token, default: []] += faults }
    }

    private func response(_ request: Request) async throws -> Response {
        state.withLock { $0.requests += 1 }
        do {
            guard request.uri.path == "/v1/projects/\(tokens.account.projectID)/messages:send" else {
                throw FCMRejection(status: 404, name: "NOT_FOUND", message: "Requested entity was not found.")
            }
            let authorization = request.headers[.authorization] ?? ""
            guard authorization.hasPrefix("Bearer "), tokens.isGood(String(authorization.dropFirst(7))) else {
                throw FCMRejection.unauthenticated
            }
            let body = Data(
                (try await request.body.collect(upTo: 1_024 * 1_024)).readableBytesView)
            return try await accept(body, type: request.headers[.contentType])
        } catch let rejection as FCMRejection {
            return rejection.response
        }
    }

    private func accept(_ body: Data, type: String?) async throws -> Response {
        guard type?.hasPrefix("application/json") == true,
            let json = try? JSONDecoder().decode(JSONValue.self, from: body)
        else { throw FCMRejection(status: 400, name: "INVALID_ARGUMENT", message: "Invalid JSON payload received.") }
        let content: JSONValue
        do {
            content = try FCMSchema.check(json, is: .message("SendMessageRequest"), at: "")
        } catch {
            throw FCMRejection.schema(error)
        }
        let message = content["message"] ?? .null
        do {
            try FCMRules.check(message)
        } catch {
            throw FCMRejection.invalidArgument(field: error.field, description: error.description)
        }
        let token = message["token"]?.text ?? message["fid"]?.text ?? ""
        let fault = state.withLock { state in
            state.faults[token]?.isEmpty == false ? state.faults[token]?.removeFirst() : nil
        }
        if let fault, let rejection = FCMRejection(fault) { throw rejection }
        if content["validateOnly"] != .boolean(true) {
            state.withLock { $0.messages.append(Message(token: token, content: message)) }
        }
        let text = #"{"name":"projects/\#(tokens.account.projectID)/messages/\#(UUID().uuidString)"}"#
        let headers: HTTPFields = [.contentType: "application/json; charset=UTF-8"]
        if case .broken(let how) = fault { return await how.applied(to: text, headers: headers) }
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(string: text)))
    }
}
