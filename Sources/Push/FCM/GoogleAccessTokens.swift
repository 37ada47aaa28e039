import AsyncHTTPClient
import Foundation
import JWTKit
import NIOCore
import NIOHTTP1
import Outbound
import Ports

/// Access tokens of a service account: one at a time, cached until shortly before it expires
/// (https://developers.google.com/identity/protocols/oauth2/service-account).
actor GoogleAccessTokens {
    /// Seconds before a token expires; Google's own libraries renew it at a similar time.
    private static let renewalTime: TimeInterval = 5 * 60
    /// Seconds until an assertion expires; Google accepts at most an hour.
    private static let assertionLife: TimeInterval = 3_600
    /// Seconds after a failure without another attempt: thousands of messages need a token at the same moment.
    private static let failureTime: TimeInterval = 10

    private struct Token {
        let value: String
        let expires: Date
    }

    private let account: FCMServiceAccount
    private let http: PushHTTP
    private var current: Token?
    private var failure: (error: any Error, until: Date)?
    private var renewal: Task<Token, any Error>?

    init(account: FCMServiceAccount, client: HTTPClient, deadline: Duration) {
        self.account = account
        http = PushHTTP(client: client, deadline: deadline, service: "Google's token service")
    }

    /// A token that is valid for at least some minutes, or the old one if it cannot be renewed but is still valid.
    /// - Throws: `PushError`; `CancellationError`.
    func token(at now: Date) async throws -> String {
        if let current, now < current.expires - Self.renewalTime { return current.value }
        do {
            return try await renewed(at: now).value
        } catch {
            try Task.checkCancellation()
            guard let current, now < current.expires else { throw error }
            return current.value
        }
    }

    /// Drops a rejected token. A newer one is kept: of many messages sent with the rejected one, the first to fail gets
    /// a new one for all.
    func forget(_ value: String) {
        if current?.value == value { current = nil }
    }

    private func renewed(at now: Date) async throws -> Token {
        while true {
            try Task.checkCancellation()
            if renewal == nil, let failure, now < failure.until, now >= failure.until - Self.failureTime {
                throw failure.error
            }
            let renewal = self.renewal ?? renew(at: now)
            do {
                // Awaiting a task does not end on cancellation, but only at the deadline: longer than a worker has to
                // stop.
                return try await withTaskCancellationHandler {
                    try await renewal.value
                } onCancel: {
                    renewal.cancel()
                }
            } catch is CancellationError {
                // Perhaps the cancellation of another waiting caller; callers that still need a token start again.
            }
        }
    }

    /// An unstructured task, since the callers that await it may be cancelled. It ends by its deadline.
    private func renew(at now: Date) -> Task<Token, any Error> {
        let task = Task {
            defer { renewal = nil }
            do {
                let token = try await request(at: now)
                current = token
                failure = nil
                return token
            } catch let error as PushError {
                failure = (error, now + Self.failureTime)
                throw error
            }
        }
        renewal = task
        return task
    }

    private func request(at now: Date) async throws -> Token {
        var request = HTTPClientRequest(url: account.tokenURL)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        // Of all characters in both parts, a form escapes only the colons.
        let grant = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
        let assertion = try await assertion(at: now)
        request.body = .bytes(ByteBuffer(string: "grant_type=\(grant)&assertion=\(assertion)"))
        return try Self.judge(try await http.send(request), at: now)
    }

    private func assertion(at now: Date) async throws -> String {
        let keys = JWTKeyCollection()
        await keys.add(rsa: account.key, digestAlgorithm: .sha256)
        let begin = Int(now.timeIntervalSince1970)
        let claims = Assertion(
            iss: account.clientEmail, scope: "https://www.googleapis.com/auth/firebase.messaging",
            aud: account.tokenURL, iat: begin, exp: begin + Int(Self.assertionLife))
        do {
            return try await keys.sign(claims, header: ["kid": .string(account.keyID)])
        } catch {
            throw PushError.misconfigured("the key of the service account cannot sign")
        }
    }

    private static func judge(_ response: BoundedExchange.Response, at now: Date) throws(PushError) -> Token {
        switch response.status {
        case 200:
            guard let grant = try? JSONDecoder().decode(Grant.self, from: response.body), grant.expires_in > 0,
                // It becomes part of a header.
                grant.access_token.wholeMatch(of: /[\x21-\x7E]+/) != nil
            else { throw .unavailable("Google's token service gave an answer that cannot be read (200)") }
            return Token(value: grant.access_token, expires: now + TimeInterval(grant.expires_in))
        case 408, 429, 500...599:
            throw .unavailable(
                "Google's token service has a problem (\(response.status))", retryAfter: response.wait(at: now))
        default:
            let code = (try? JSONDecoder().decode(Rejection.self, from: response.body))?.error ?? ""
            // A wrong clock is the usual cause of `invalid_grant`: the assertion is then not yet or no longer valid.
            let hint =
                switch code {
                case "invalid_grant": ": invalid_grant; are key file and this machine's clock right?"
                case "invalid_client", "unauthorized_client", "invalid_scope", "access_denied": ": \(code)"
                default: ""
                }
            throw .misconfigured("Google gives this service account no token (\(response.status))\(hint)")
        }
    }
}

/// The signed content (RFC 7523 §3); times in whole seconds, since Google accepts no fractions.
private struct Assertion: JWTPayload {
    let iss: String
    let scope: String
    let aud: String
    let iat: Int
    let exp: Int

    /// Assertions are never verified here.
    func verify(using algorithm: some JWTAlgorithm) {}
}

private struct Grant: Decodable {
    let access_token: String
    let expires_in: Int
}

private struct Rejection: Decodable {
    let error: String
}
