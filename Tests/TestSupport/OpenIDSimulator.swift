import Crypto
import Domain
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
package import Ports
import Synchronization

/// An OpenID provider on a local port that can be made to violate every rule.
///
/// By default it follows the standards: it checks the client, the redirect URI and PKCE, and each code is valid once.
package final class OpenIDSimulator: Sendable {
    /// How an ID token is signed.
    package enum Signature: Sendable {
        /// With a key of the provider, named in the header or not.
        case key(OpenIDSimulatorKey, isNamed: Bool = true)
        /// Not signed (`alg: none`).
        case none
        /// With HMAC, using the public key as shared secret.
        case publicKeyAsSecret(OpenIDSimulatorKey)
    }

    /// How an endpoint fails.
    package enum Fault: Sendable {
        /// Responds with this status and body.
        case response(Int, String)
        /// Never responds.
        case hang
        /// Sends only the response head.
        case hangAfterHead
    }

    /// Behaviour that a test can change.
    package struct Behaviour: Sendable {
        /// The signature of the next tokens.
        package var signature: Signature
        /// The keys at `jwks_uri`.
        package var published: [OpenIDSimulatorKey]
        /// Changes the claims of the next tokens.
        package var edit: @Sendable (inout [String: Any]) -> Void = { _ in }
        /// Changes the discovery document.
        package var editMetadata: @Sendable (inout [String: Any]) -> Void = { _ in }
        /// The response of the user info endpoint; by default the user's claims.
        package var userInfo: (@Sendable () -> [String: Any])?
        /// Faults by path.
        package var faults: [String: Fault] = [:]
    }

    private struct Grant {
        let nonce: String?
        let challenge: String
        let redirectURI: String
    }

    private struct State {
        var behaviour: Behaviour
        var grants: [String: Grant] = [:]
        var requests: [String: Int] = [:]
    }

    /// The id of the only client.
    package static let clientID = "happiness client"
    /// Its secret, with characters that must be escaped.
    package static let clientSecret = "s%cret:ä"
    /// The initial signing key.
    package let key: OpenIDSimulatorKey
    /// Its `iss`.
    package var issuer: String { "http://127.0.0.1:\(port.withLock { $0 })" }
    private let port = Mutex(0)
    private let state: Mutex<State>
    private let clock: WallClock

    /// Creating one takes most of a second in a debug build, and no test modifies it.
    private static let firstKey = Result { try OpenIDSimulatorKey.rsa("first") }

    private init(clock: WallClock) throws {
        key = try Self.firstKey.get()
        state = Mutex(State(behaviour: Behaviour(signature: .key(key), published: [key])))
        self.clock = clock
    }

    /// Runs a simulator while the closure runs.
    package static func with(
        clock: WallClock = .system, _ body: @escaping @Sendable (OpenIDSimulator) async throws -> Void
    ) async throws {
        let simulator = try OpenIDSimulator(clock: clock)
        let (ready, isReady) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: simulator.router(), configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { isReady.yield($0.localAddress?.port ?? 0) })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.run() }
            for await number in ready {
                simulator.port.withLock { $0 = number }
                break
            }
            defer { group.cancelAll() }
            try await body(simulator)
        }
    }

    /// Changes the behaviour from now on.
    package func change(_ change: (inout Behaviour) -> Void) {
        state.withLock { change(&$0.behaviour) }
    }

    /// Number of requests for a path.
    package func requests(of path: String) -> Int {
        state.withLock { $0.requests[path, default: 0] }
    }

    /// Simulates a login on the provider's page.
    /// - Parameter url: the URL to which the browser was redirected.
    /// - Returns: the query of the URL to which it is sent back.
    package func logIn(at url: String) throws -> String {
        let items = URLComponents(string: url)?.queryItems ?? []
        func value(_ name: String) -> String? { items.first { $0.name == name }?.value }
        guard value("client_id") == Self.clientID, value("response_type") == "code",
            value("code_challenge_method") == "S256", let challenge = value("code_challenge"),
            let redirectURI = value("redirect_uri"), let state = value("state"),
            value("scope")?.split(separator: " ").contains("openid") == true
        else { throw OpenIDSimulatorError.notARequest(url) }
        let code = SecureBytes.random(count: 16).hexadecimal
        self.state.withLock {
            $0.grants[code] = Grant(nonce: value("nonce"), challenge: challenge, redirectURI: redirectURI)
        }
        return "code=\(code)&state=\(state)"
    }
}

/// A request that every provider would reject.
package enum OpenIDSimulatorError: Error {
    /// Contains the URL.
    case notARequest(String)
}

extension OpenIDSimulator {
    private func router() -> Router<BasicRequestContext> {
        let router = Router()
        router.get("/.well-known/openid-configuration") { [self] request, _ in
            try await renderingErrors(request) { try Self.json(metadata()) }
        }
        router.get("/jwks") { [self] request, _ in
            try await renderingErrors(request) {
                // Keys of unknown types come first.
                let foreign: [[String: Any]] = [["kty": "AKP", "kid": 7], ["kty": "oct", "k": "AA", "kid": "shared"]]
                let published = state.withLock { $0.behaviour.published }
                return try Self.json(["keys": foreign + published.map(\.jwk)])
            }
        }
        router.post("/token") { [self] request, _ in
            try await renderingErrors(request) { try await token(request) }
        }
        router.get("/userinfo") { [self] request, _ in
            try await renderingErrors(request) {
                guard request.headers[.authorization] == "Bearer access" else { return Response(status: .unauthorized) }
                return try Self.json(state.withLock { $0.behaviour.userInfo }?() ?? Self.person)
            }
        }
        return router
    }

    private func renderingErrors(_ request: Request, _ body: () async throws -> Response) async throws -> Response {
        let path = request.uri.path
        let fault = state.withLock { state in
            state.requests[path, default: 0] += 1
            return state.behaviour.faults[path]
        }
        switch fault {
        case nil: return try await body()
        case .response(let status, let text):
            return Response(status: .init(code: status), body: .init(byteBuffer: ByteBuffer(string: text)))
        case .hang:
            await Self.forever()
            return Response(status: .serviceUnavailable)
        case .hangAfterHead:
            return Response(
                status: .ok,
                body: ResponseBody { writer in
                    try await writer.write(ByteBuffer(string: "{"))
                    await Self.forever()
                    try await writer.finish(nil)
                })
        }
    }

    /// Ends when its task is cancelled.
    private static func forever() async {
        let (never, end) = AsyncStream.makeStream(of: Void.self)
        for await _ in never {}
        end.finish()
    }

    private func metadata() -> [String: Any] {
        var metadata: [String: Any] = [
            "issuer": issuer, "authorization_endpoint": "\(issuer)/authorize?tenant=1",
            "token_endpoint": "\(issuer)/token", "jwks_uri": "\(issuer)/jwks",
            "userinfo_endpoint": "\(issuer)/userinfo",
        ]
        state.withLock { $0.behaviour.editMetadata }(&metadata)
        return metadata
    }

    static var person: [String: Any] {
        [
            "sub": "s-1", "email": "ada@example.org", "email_verified": true, "preferred_username": "ada",
            "name": "Ada Lovelace", "locale": "en-GB", "groups": ["staff", "mathematics"],
            "realm_access": ["roles": ["owner"]],
        ]
    }

    private func token(_ request: Request) async throws -> Response {
        let body = String(buffer: try await request.body.collect(upTo: 100_000))
        let items = URLComponents(string: "/?\(body)")?.queryItems ?? []
        let form = Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
        guard isClient(request.headers[.authorization], form: form) else {
            return try Self.json(["error": "invalid_client"], status: .unauthorized)
        }
        let grant = state.withLock { $0.grants.removeValue(forKey: form["code"] ?? "") }
        guard let grant, grant.redirectURI == form["redirect_uri"],
            SecureBytes.sha256(Data((form["code_verifier"] ?? "").utf8)).base64URL == grant.challenge
        else { return try Self.json(["error": "invalid_grant"], status: .badRequest) }
        return try Self.json([
            "access_token": "access", "token_type": "Bearer", "id_token": try idToken(nonce: grant.nonce),
        ])
    }

    private func isClient(_ authorization: String?, form: [String: String]) -> Bool {
        guard let authorization else {
            return form["client_id"] == Self.clientID && form["client_secret"] == Self.clientSecret
        }
        guard form["client_secret"] == nil, authorization.hasPrefix("Basic "),
            let data = Data(base64Encoded: String(authorization.dropFirst(6)))
        else { return false }
        let parts = String(decoding: data, as: UTF8.self).split(separator: ":")
        return parts.map { String($0).removingPercentEncoding } == [Self.clientID, Self.clientSecret]
    }

    /// An ID token with the current behaviour.
    package func idToken(nonce: String?) throws -> String {
        let behaviour = state.withLock { $0.behaviour }
        let seconds = Int(clock.now.timeIntervalSince1970)
        var claims = Self.person.merging(
            ["iss": issuer, "aud": Self.clientID, "iat": seconds, "exp": seconds + 300]) { $1 }
        claims["nonce"] = nonce
        behaviour.edit(&claims)
        let payload = try JSONSerialization.data(withJSONObject: claims).base64URL
        var header: [String: Any] = ["typ": "JWT"]
        switch behaviour.signature {
        case .key(let key, let isNamed):
            header["alg"] = key.algorithm
            header["kid"] = isNamed ? key.id : nil
        case .none: header["alg"] = "none"
        case .publicKeyAsSecret(let key):
            header["alg"] = "HS256"
            header["kid"] = key.id
        }
        let text = "\(try JSONSerialization.data(withJSONObject: header).base64URL).\(payload)"
        let signature: [UInt8] =
            switch behaviour.signature {
            case .key(let key, _): try key.sign(Data(text.utf8))
            case .none: []
            case .publicKeyAsSecret(let key):
                SecureBytes.hmac(Data(text.utf8), key: SymmetricKey(data: key.publicBytes))
            }
        return "\(text).\(signature.base64URL)"
    }

    private static func json(_ object: [String: Any], status: HTTPResponse.Status = .ok) throws -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(bytes: try JSONSerialization.data(withJSONObject: object))))
    }
}
