import Crypto
import Domain
import Foundation
import JWTKit
import Services
import Testing

@Suite struct AccessTokenTests {
    private struct Payload: JWTPayload {
        var sub = User.ID.random().description
        var sid = Session.ID.random().description
        var iat = 1_790_000_000
        var exp = 1_790_000_900
        var iss = "happiness-metric"
        var aud = "happiness-metric"

        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }

    private let now = Date(timeIntervalSince1970: 1_790_000_000)
    private let principal = Principal(userID: .random(), sessionID: .random())
    private let tokens: AccessTokens

    init() throws {
        tokens = try AccessTokens(secret: Accounts.secret)
    }

    private func issue() async throws -> String {
        try await tokens.issue(for: principal, issued: now, expires: now + 900)
    }

    private func reason(_ token: String, at instant: Date? = nil) async throws -> AppError.Reason? {
        try await rejection { _ = try await tokens.verify(token, at: instant ?? now) }?.reason
    }

    /// The header of our own tokens.
    private func ownKeyID() async throws -> String {
        let header = try #require(try await issue().split(separator: ".").first)
        let bytes = try #require([UInt8](base64URL: header))
        let fields = try JSONDecoder().decode([String: String].self, from: Data(bytes))
        #expect(fields["alg"] == "HS256")
        return try #require(fields["kid"])
    }

    private func sign(_ payload: Payload, header: JWTHeader, digest: DigestAlgorithm = .sha256) async throws -> String {
        try await JWTKeyCollection().add(hmac: HMACKey(key: Accounts.secret), digestAlgorithm: digest)
            .sign(payload, header: header)
    }

    private func unsigned(header: String, of token: String, signature: String? = nil) -> String {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        return "\(Array(header.utf8).base64URL).\(parts[1]).\(signature ?? String(parts[2]))"
    }

    @Test func `A token says whose it is and until when`() async throws {
        let claims = try await tokens.verify(try await issue(), at: now)
        #expect(claims.principal.userID == principal.userID && claims.principal.sessionID == principal.sessionID)
        #expect(claims.principal.tokenIssued == now)
        #expect(claims.expires == now + 900)
    }

    @Test func `A token is valid until its expiry, even when it is cached`() async throws {
        let token = try await issue()
        #expect(try await reason(token, at: now + 899) == nil)
        #expect(try await reason(token, at: now + 900) == .tokenExpired)
        #expect(try await reason(token, at: now + 901) == .tokenExpired)
    }

    @Test func `A secret of fewer than 32 bytes is refused`() {
        let short = SymmetricKey(data: [UInt8](repeating: 1, count: 31))
        #expect(throws: SettingsError.self) { try AccessTokens(secret: short) }
        #expect(throws: Never.self) { try AccessTokens(secret: SymmetricKey(size: .bits256)) }
    }

    @Test func `A token signed with another secret is refused`() async throws {
        let other = try AccessTokens(secret: SymmetricKey(size: .bits256))
        let token = try await other.issue(for: principal, issued: now, expires: now + 900)
        #expect(try await reason(token) == .invalidToken)
    }

    @Test func `An unsigned token is refused`() async throws {
        let token = try await issue()
        let keyID = try await ownKeyID()
        for alg in ["none", "None", "NONE", ""] {
            let header = #"{"alg":"\#(alg)","typ":"JWT","kid":"\#(keyID)"}"#
            #expect(try await reason(unsigned(header: header, of: token)) == .invalidToken)
            #expect(try await reason(unsigned(header: header, of: token, signature: "")) == .invalidToken)
        }
    }

    @Test func `Only our algorithm is accepted, even if the signature fits`() async throws {
        let keyID = try await ownKeyID()
        // Signed with our key as HS256 but labelled differently: jwt-kit alone would accept these.
        for alg in ["RS256", "HS512", "ES256", "hs256"] {
            let token = try await sign(Payload(), header: ["alg": .string(alg), "kid": .string(keyID)])
            #expect(try await reason(token) == .invalidToken, "\(alg)")
        }
        let other = try await sign(Payload(), header: ["kid": .string(keyID)], digest: .sha512)
        #expect(try await reason(other) == .invalidToken)
    }

    @Test func `Only our key ID is accepted, even if the signature fits`() async throws {
        #expect(try await reason(sign(Payload(), header: ["kid": "another"])) == .invalidToken)
        #expect(try await reason(sign(Payload(), header: [:])) == .invalidToken)
        let keyID = try await ownKeyID()
        #expect(try await reason(sign(Payload(), header: ["kid": .string(keyID)])) == nil)
        let critical: JWTHeader = ["kid": .string(keyID), "crit": .array([.string("exp")])]
        #expect(try await reason(sign(Payload(), header: critical)) == .invalidToken)
    }

    @Test func `Issuer, audience and IDs must be ours`() async throws {
        let header: JWTHeader = ["kid": .string(try await ownKeyID())]
        for payload in [
            Payload(iss: "somebody-else"), Payload(aud: "another-service"), Payload(sub: "1"), Payload(sid: ""),
        ] {
            #expect(try await reason(sign(payload, header: header)) == .invalidToken)
        }
    }

    @Test func `No character of a token can be changed`() async throws {
        let token = Array(try await issue())
        for index in token.indices {
            var changed = token
            changed[index] = token[index] == "A" ? "B" : "A"
            #expect(try await reason(String(changed)) == .invalidToken, "at \(index)")
        }
    }

    @Test(arguments: [
        "", ".", "..", "...", "a.b.c", "Bearer x", "\u{0}", String(repeating: "a", count: 100_000),
        "é.é.é",
    ])
    func `A text that is no token is refused`(text: String) async throws {
        #expect(try await reason(text) == .invalidToken)
    }
}

@Suite struct RefreshTokenTests {
    private let tokens = RefreshTokens(secret: Accounts.secret)
    private let session = Session(
        userID: .random(), device: "", expires: .distantFuture, lastUsed: CalendarDay(instant: .now, in: .gmt))

    @Test func `Every generation is recognised`() throws {
        for generation in [0, 1, 77] {
            let parts = try #require(tokens.parse(tokens.token(of: session, generation: generation)))
            #expect(parts.generation == generation)
            #expect(tokens.isGenuine(parts, of: session))
            #expect(tokens.parse("\n\(tokens.token(of: session, generation: generation)) \t") == parts, "as pasted")
        }
    }

    @Test func `White space around a mailed token makes no other one`() {
        let hash = OneTimeToken.hash(of: "abc")
        for text in [" abc", "abc\r\n", "\tabc\n "] { #expect(OneTimeToken.hash(of: text) == hash) }
        #expect(OneTimeToken.hash(of: "a bc") != hash)
    }

    @Test func `A token of another generation, session, seed or secret is forged`() throws {
        let code = try #require(tokens.token(of: session, generation: 3).split(separator: ".").last)
        let other = Session(
            id: session.id, userID: session.userID, device: "", expires: session.expires, lastUsed: session.lastUsed)
        let forged = try #require(tokens.parse("\(session.id).4.\(code)"))
        #expect(!tokens.isGenuine(forged, of: session))
        let genuine = try #require(tokens.parse(tokens.token(of: session, generation: 3)))
        #expect(!tokens.isGenuine(genuine, of: other))
        let otherSecret = RefreshTokens(secret: SymmetricKey(size: .bits256))
        #expect(!otherSecret.isGenuine(genuine, of: session))
    }

    @Test(arguments: [
        "", "..", "a.0.b", "00000000000000000000000000000000.-1.AA", "00000000000000000000000000000000.01.AA",
        "00000000000000000000000000000000.99999999999999999999.AA",
    ])
    func `A text of another shape is no token`(text: String) {
        #expect(tokens.parse(text) == nil)
    }
}
