package import AsyncHTTPClient
package import Foundation
package import Logging
import NIOCore
import NIOHTTP1
import Outbound

/// One client at one provider: sends users there and identifies them afterwards, by the authorization code flow with
/// PKCE (OpenID Connect Core 1.0 §3.1, RFC 7636).
package struct OpenIDClient: Sendable {
    /// The client's registration at the provider.
    package struct Configuration: Sendable {
        /// The provider's `iss`, compared byte for byte.
        package let issuer: String
        /// Issued by the provider.
        package let clientID: String
        /// Issued by the provider.
        package let clientSecret: String
        /// Must include `openid`.
        package let scopes: [String]
        /// Where the provider sends users back to; must be registered there.
        package let redirectURI: String
        /// Claims with the address, the preferred one first.
        package let emailClaims: [String]

        /// - Parameters:
        ///   - redirectURI: must be registered at the provider.
        ///   - emailClaims: if the ID token lacks the first one, the user info is asked too.
        package init(
            issuer: String, clientID: String, clientSecret: String, scopes: [String], redirectURI: String,
            emailClaims: [String] = ["email"]
        ) {
            self.issuer = issuer
            self.clientID = clientID
            self.clientSecret = clientSecret
            self.scopes = scopes
            self.redirectURI = redirectURI
            self.emailClaims = emailClaims
        }
    }

    /// For one call; the user sees an empty page meanwhile.
    package static let standardDeadline = Duration.seconds(5)

    /// No redirects: they would send code and secret to another server. HTTP/1.1, since AsyncHTTPClient's HTTP/2 hangs
    /// if a server responds before it has read the body.
    package static var httpConfiguration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        configuration.timeout.connect = .seconds(3)
        return configuration
    }

    private let configuration: Configuration
    private let http: ProviderHTTP
    private let documents: ProviderDocuments
    private let verifier: IDTokenVerifier
    private let now: @Sendable () -> Date

    /// - Parameters:
    ///   - httpClient: shut down by the caller; create it with `httpConfiguration`.
    ///   - deadline: for one call to the provider.
    package init(
        _ configuration: Configuration, httpClient: HTTPClient, deadline: Duration = standardDeadline,
        now: @escaping @Sendable () -> Date, logger: Logger
    ) {
        self.configuration = configuration
        self.now = now
        http = ProviderHTTP(client: httpClient, deadline: deadline)
        documents = ProviderDocuments(issuer: configuration.issuer, http: http, now: now, logger: logger)
        verifier = IDTokenVerifier(issuer: configuration.issuer, clientID: configuration.clientID)
    }

    /// The URL to which to send the browser (§3.1.2.1).
    /// - Throws: `OpenIDError.unavailable`.
    package func authorizationURL(for request: AuthorizationRequest) async throws -> String {
        let endpoint = try await documents.currentMetadata().authorizationEndpoint
        let query = PercentEncoding.form([
            ("response_type", "code"), ("client_id", configuration.clientID),
            ("redirect_uri", configuration.redirectURI), ("scope", configuration.scopes.joined(separator: " ")),
            ("state", request.state), ("nonce", request.nonce), ("code_challenge", request.codeChallenge),
            ("code_challenge_method", "S256"),
        ])
        return endpoint + (endpoint.contains("?") ? "&" : "?") + query
    }

    /// Exchanges a code and validates the result.
    /// - Parameters:
    ///   - answerIssuer: `iss` of the response, if it has one (RFC 9207): a response of another provider is rejected.
    ///   - request: the one passed to `authorizationURL`. The caller has compared its `state`.
    /// - Throws: `OpenIDError`.
    package func claims(
        code: String, answerIssuer: String?, for request: AuthorizationRequest
    ) async throws -> IdentityClaims {
        let metadata = try await documents.currentMetadata()
        guard answerIssuer.map({ $0 == configuration.issuer }) ?? (metadata.namesItselfInAnswers != true) else {
            throw OpenIDError.tokenRefused(.issuer)
        }
        let tokens = try await exchange(code, verifier: request.codeVerifier, at: metadata)
        let header = try verifier.header(of: tokens.idToken)
        let key = try await documents.key(id: header.keyID, algorithm: header.algorithm)
        let claims = try await verifier.claims(of: tokens.idToken, key: key, nonce: request.nonce, at: now())
        // A provider may return the address only in its user info (§5.4).
        guard let claim = configuration.emailClaims.first, !claims.has(claim),
            let endpoint = metadata.userInfoEndpoint, let accessToken = tokens.accessToken
        else { return claims }
        return claims.adding(try await userInfo(endpoint, accessToken: accessToken, subject: claims.subject))
    }

    private func exchange(_ code: String, verifier: String, at metadata: ProviderMetadata) async throws -> Tokens {
        var fields = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", configuration.redirectURI),
            ("code_verifier", verifier),
        ]
        var request = HTTPClientRequest(url: metadata.tokenEndpoint)
        if metadata.takesSecretInForm {
            fields += [("client_id", configuration.clientID), ("client_secret", configuration.clientSecret)]
        } else {
            // Both are form-encoded first (RFC 6749 §2.3.1).
            request.setBasicAuth(
                username: PercentEncoding.encode(configuration.clientID),
                password: PercentEncoding.encode(configuration.clientSecret))
        }
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        request.headers.add(name: "Accept", value: "application/json")
        request.body = .bytes(ByteBuffer(string: PercentEncoding.form(fields)))
        let response = try await http.send(request)
        if response.status == 200 { return try ProviderHTTP.decode(Tokens.self, from: response.body) }
        guard response.status == 400 || response.status == 401 else {
            throw OpenIDError.unavailable("its token endpoint answered with \(response.status)")
        }
        let rejection = try ProviderHTTP.decode(Rejection.self, from: response.body)
        guard rejection.error == "invalid_grant" else {
            throw OpenIDError.unavailable("its token endpoint refuses this client; are id, secret and address right?")
        }
        throw OpenIDError.codeRefused
    }

    /// §5.3.2: the subject must equal the token's, otherwise the response may belong to another user.
    private func userInfo(_ endpoint: String, accessToken: String, subject: String) async throws -> [String: ClaimValue]
    {
        var request = HTTPClientRequest(url: endpoint)
        request.headers.add(name: "Authorization", value: "Bearer \(accessToken)")
        request.headers.add(name: "Accept", value: "application/json")
        let response = try await http.send(request)
        guard response.status == 200 else {
            throw OpenIDError.unavailable("its user info endpoint answered with \(response.status)")
        }
        let claims = try ProviderHTTP.decode([String: ClaimValue].self, from: response.body)
        guard claims["sub"]?.text == subject else { throw OpenIDError.tokenRefused(.subject) }
        return claims
    }

    private struct Tokens: Decodable {
        let idToken: String
        let accessToken: String?

        private enum CodingKeys: String, CodingKey {
            case idToken = "id_token"
            case accessToken = "access_token"
        }
    }

    /// RFC 6749 §5.2.
    private struct Rejection: Decodable {
        let error: String
    }
}
