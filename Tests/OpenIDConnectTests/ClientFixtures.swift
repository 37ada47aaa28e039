import AsyncHTTPClient
import Foundation
import Logging
import OpenIDConnect
import TestSupport
import Testing

/// A client of an `OpenIDSimulator`, and the login of one user.
struct ClientFixture: Sendable {
    static let redirectURI = "https://happiness.example.org/login/company/callback"

    let provider: OpenIDSimulator
    let client: OpenIDClient
    let clock: SettableClock

    /// Runs `body` with a provider and a client.
    static func with(
        deadline: Duration = .seconds(5), emailClaims: [String] = ["email"],
        _ body: @escaping @Sendable (ClientFixture) async throws -> Void
    ) async throws {
        let clock = SettableClock(Date(timeIntervalSince1970: 1_800_000_000))
        try await OpenIDSimulator.with(clock: clock.wall) { provider in
            let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: OpenIDClient.httpConfiguration)
            let client = OpenIDClient(
                configuration(issuer: provider.issuer, emailClaims: emailClaims), httpClient: http,
                deadline: deadline, now: { clock.now }, logger: Logger(label: "test"))
            let result: Result<Void, any Error>
            do {
                result = .success(try await body(ClientFixture(provider: provider, client: client, clock: clock)))
            } catch {
                result = .failure(error)
            }
            try await http.shutdown()
            try result.get()
        }
    }

    static func configuration(
        issuer: String, emailClaims: [String] = ["email"]
    ) -> OpenIDClient.Configuration {
        OpenIDClient.Configuration(
            issuer: issuer, clientID: OpenIDSimulator.clientID, clientSecret: OpenIDSimulator.clientSecret,
            scopes: ["openid", "email"], redirectURI: redirectURI, emailClaims: emailClaims)
    }

    /// A complete login.
    /// - Parameter request: the request to check the callback against; by default the one that began.
    func logIn(checking other: AuthorizationRequest? = nil, answerIssuer: String? = nil) async throws -> IdentityClaims
    {
        let request = AuthorizationRequest()
        let code = try await code(for: request)
        return try await client.claims(code: code, answerIssuer: answerIssuer, for: other ?? request)
    }

    /// A code issued by the provider.
    func code(for request: AuthorizationRequest) async throws -> String {
        let query = try provider.logIn(at: try await client.authorizationURL(for: request))
        return try #require(query.firstMatch(of: /code=([0-9a-f]+)/).map { String($0.1) })
    }

    /// Checks that a login works.
    func expectLogin(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let claims = try await logIn()
        #expect(claims.subject == "s-1", sourceLocation: sourceLocation)
    }

    /// Checks that a login fails one particular check.
    func expectFault(
        _ fault: TokenFault, sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout OpenIDSimulator.Behaviour) -> Void
    ) async {
        provider.change(change)
        await #expect(throws: OpenIDError.tokenRefused(fault), sourceLocation: sourceLocation) {
            _ = try await logIn()
        }
    }
}
