import Domain
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
package import Ports
import Synchronization

/// Simulates Google's token server for service accounts on a local port, according to the documentation
/// (https://developers.google.com/identity/protocols/oauth2/service-account).
package final class GoogleTokenSimulator: Sendable {
    /// How a request fails.
    package enum Fault: Sendable, Equatable {
        /// Responds with this status, `Retry-After` if given, and body.
        case status(Int, retryAfter: String? = nil, body: String = "")
        /// Issues a token but breaks the response.
        case broken(SimulatorBreak)
    }

    private struct State {
        var faults: [Fault] = []
        var tokens: [String: Date] = [:]
        var requests = 0
        var port = 0
    }

    /// The only known account.
    package let account: GoogleServiceAccount
    /// Seconds for which a token is valid.
    package static let tokenLife = 3_599
    /// Seconds by which clocks may differ.
    private static let skew: TimeInterval = 300
    private let clock: WallClock
    private let state = Mutex(State())

    private init(account: GoogleServiceAccount, clock: WallClock) {
        self.account = account
        self.clock = clock
    }

    /// Runs a simulator while the closure runs.
    package static func with(
        clock: WallClock = .system, _ body: @escaping @Sendable (GoogleTokenSimulator) async throws -> Void
    ) async throws {
        let simulator = GoogleTokenSimulator(account: try GoogleServiceAccount(), clock: clock)
        let router = Router()
        router.post("/token") { request, _ in try await simulator.response(request) }
        try await RouterServer.with(router) { port in
            simulator.state.withLock { $0.port = port }
            try await body(simulator)
        }
    }

    /// Value for `token_uri`.
    package var url: String { "http://127.0.0.1:\(state.withLock { $0.port })/token" }

    /// Number of requests, including rejected ones.
    package var requests: Int { state.withLock { $0.requests } }

    /// Makes the next requests fail like this, one after the other.
    package func fail(_ faults: Fault...) {
        state.withLock { $0.faults += faults }
    }

    /// Invalidates all issued tokens.
    package func revokeTokens() {
        state.withLock { $0.tokens = [:] }
    }

    /// Whether a token was issued here and has not expired.
    package func isGood(_ token: String) -> Bool {
        state.withLock { ($0.tokens[token] ?? .distantPast) > clock.now }
    }

    /// Issues a token without a request.
    package func newToken() -> String {
        let token = "ya29.\(SecureBytes.random(count: 24).base64URL)"
        let end = clock.now + TimeInterval(Self.tokenLife)
        state.withLock { $0.tokens[token] = end }
        return token
    }

    private func response(_ request: Request) async throws -> Response {
        let form = String(buffer: try await request.body.collect(upTo: 64 * 1024))
        let fault = state.withLock { state in
            state.requests += 1
            return state.faults.isEmpty ? nil : state.faults.removeFirst()
        }
        if case .status(let status, let retryAfter, let body) = fault {
            var headers: HTTPFields = [.contentType: "application/json"]
            headers[.retryAfter] = retryAfter
            return Response(
                status: .init(code: status), headers: headers, body: .init(byteBuffer: ByteBuffer(string: body)))
        }
        let type = request.headers[.contentType]
        guard type == "application/x-www-form-urlencoded" else {
            return Self.rejection("invalid_request", "Bad Request")
        }
        if let rejection = rejection(of: form) { return rejection }
        let text = #"{"access_token":"\#(newToken())","expires_in":\#(Self.tokenLife),"token_type":"Bearer"}"#
        if case .broken(let how) = fault {
            return await how.applied(to: text, headers: [.contentType: "application/json"])
        }
        return Response(
            status: .ok, headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(string: text)))
    }

    private static func rejection(_ error: String, _ description: String) -> Response {
        Response(
            status: .badRequest, headers: [.contentType: "application/json"],
            body: .init(
                byteBuffer: ByteBuffer(string: #"{"error":"\#(error)","error_description":"\#(description)"}"#)))
    }
}

// MARK: - What it rejects

extension GoogleTokenSimulator {
    private struct Header: Decodable {
        let alg: String
        let typ: String
        let kid: String?
    }

    /// Times must be whole numbers.
    private struct Claims: Decodable {
        let iss: String
        let scope: String
        let aud: String
        let iat: Int
        let exp: Int
    }

    private func rejection(of form: String) -> Response? {
        let items = URLComponents(string: "/?\(form)")?.queryItems ?? []
        let fields = Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
        guard fields["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer" else {
            return Self.rejection("unsupported_grant_type", "Invalid grant_type")
        }
        guard let assertion = fields["assertion"] else {
            return Self.rejection("invalid_request", "Missing required parameter: assertion")
        }
        let parts = assertion.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header: Header = Self.part(parts[0]), let claims: Claims = Self.part(parts[1]),
            let signature = [UInt8](base64URL: parts[2])
        else { return Self.rejection("invalid_grant", "Invalid JWT: Failed to parse") }
        guard claims.iss == account.clientEmail else {
            return Self.rejection("invalid_grant", "Invalid grant: account not found")
        }
        guard header.alg == "RS256", header.typ == "JWT", header.kid == account.keyID,
            account.signed(Data("\(parts[0]).\(parts[1])".utf8), signature: signature)
        else { return Self.rejection("invalid_grant", "Invalid JWT Signature.") }
        guard claims.aud == url else { return Self.rejection("invalid_grant", "Invalid JWT: aud is not this server.") }
        let now = clock.now.timeIntervalSince1970
        guard Double(claims.iat) <= now + Self.skew, Double(claims.exp) > now - Self.skew, claims.exp > claims.iat,
            claims.exp - claims.iat <= 3_600
        else {
            return Self.rejection(
                "invalid_grant",
                "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.")
        }
        let scopes = claims.scope.split(separator: " ")
        guard scopes.contains("https://www.googleapis.com/auth/firebase.messaging") else {
            return Self.rejection("invalid_scope", "Invalid OAuth scope or ID token audience provided.")
        }
        return nil
    }

    private static func part<Value: Decodable>(_ text: Substring) -> Value? {
        [UInt8](base64URL: text).flatMap { try? JSONDecoder().decode(Value.self, from: Data($0)) }
    }
}
