import AsyncHTTPClient
import Foundation
import JWTKit
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

/// The simulator rejects what the documentation says is rejected.
@Suite struct GoogleTokenSimulatorTests {
    /// Claims of any type.
    private struct Claims: JWTPayload {
        var iss = "sender@happiness-test.iam.gserviceaccount.com"
        var scope = "https://www.googleapis.com/auth/firebase.messaging"
        var aud: String
        var iat = Int(PushFixtures.date.timeIntervalSince1970)
        var exp = Int(PushFixtures.date.timeIntervalSince1970) + 3_600

        func verify(using algorithm: some JWTAlgorithm) {}
    }

    private static let grant = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"

    /// Runs `body` with a simulator, its account's key, and valid claims.
    private func withSimulator(
        _ body: @escaping @Sendable (GoogleTokenSimulator, Insecure.RSA.PrivateKey, Claims) async throws -> Void
    ) async throws {
        let clock = SettableClock(PushFixtures.date)
        try await GoogleTokenSimulator.with(clock: clock.wall) { simulator in
            struct File: Decodable { let private_key: String }
            let file = try JSONDecoder().decode(
                File.self, from: try simulator.account.file(tokenURL: simulator.url))
            let key = try Insecure.RSA.PrivateKey(pem: file.private_key)
            try await body(simulator, key, Claims(aud: simulator.url))
        }
    }

    private static func signed(
        _ claims: Claims, key: Insecure.RSA.PrivateKey, keyID: String, with digest: DigestAlgorithm = .sha256
    ) async throws -> String {
        let keys = JWTKeyCollection()
        await keys.add(rsa: key, digestAlgorithm: digest)
        return try await keys.sign(claims, header: ["kid": .string(keyID)])
    }

    private static func post(_ form: String, to simulator: GoogleTokenSimulator) async throws -> String {
        let client = HTTPClient()
        let result: Result<String, any Error>
        do {
            var request = HTTPClientRequest(url: simulator.url)
            request.method = .POST
            request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
            request.body = .bytes(ByteBuffer(string: form))
            let response = try await client.execute(request, timeout: .seconds(30))
            result = .success(String(buffer: try await response.body.collect(upTo: 64 * 1_024)))
        } catch {
            result = .failure(error)
        }
        try await client.shutdown()
        return try result.get()
    }

    @Test func `A correct assertion gets a token`() async throws {
        try await withSimulator { simulator, key, claims in
            struct Grant: Decodable {
                let access_token: String
                let expires_in: Int
                let token_type: String
            }
            let assertion = try await Self.signed(claims, key: key, keyID: simulator.account.keyID)
            let text = try await Self.post("grant_type=\(Self.grant)&assertion=\(assertion)", to: simulator)
            let grant = try JSONDecoder().decode(Grant.self, from: Data(text.utf8))
            #expect(simulator.isGood(grant.access_token))
            #expect(grant.expires_in == 3_599 && grant.token_type == "Bearer")
        }
    }

    @Test func `An assertion with a wrong claim is refused`() async throws {
        try await withSimulator { simulator, key, claims in
            let now = claims.iat
            let changes: [(String, (inout Claims) -> Void)] = [
                ("account not found", { $0.iss = "other@happiness-test.iam.gserviceaccount.com" }),
                ("invalid_scope", { $0.scope = "https://www.googleapis.com/auth/drive" }),
                ("aud", { $0.aud = "https://oauth2.example/token" }),
                ("short-lived", { $0.exp = now + 3_601 }),
                ("short-lived", { ($0.iat, $0.exp) = (now + 600, now + 900) }),
                ("short-lived", { ($0.iat, $0.exp) = (now - 4_000, now - 600) }),
                ("short-lived", { $0.exp = now }),
            ]
            for (words, change) in changes {
                var wrong = claims
                change(&wrong)
                let assertion = try await Self.signed(wrong, key: key, keyID: simulator.account.keyID)
                let response = try await Self.post("grant_type=\(Self.grant)&assertion=\(assertion)", to: simulator)
                #expect(response.contains(words) && response.contains(#""error":"#), "\(response)")
            }
        }
    }

    @Test func `An assertion that the account did not sign is refused`() async throws {
        try await withSimulator { simulator, key, claims in
            let id = simulator.account.keyID
            let good = try await Self.signed(claims, key: key, keyID: id)
            let forged = [
                try await Self.signed(claims, key: key, keyID: "another"),
                try await Self.signed(claims, key: key, keyID: id, with: .sha512),
                good.split(separator: ".").dropLast().joined(separator: ".") + ".AAAA",
            ]
            for assertion in forged {
                let response = try await Self.post("grant_type=\(Self.grant)&assertion=\(assertion)", to: simulator)
                #expect(response.contains("Invalid JWT Signature"), "\(response)")
            }
            for (form, error) in [
                ("grant_type=password&assertion=\(good)", "unsupported_grant_type"),
                ("grant_type=\(Self.grant)", "invalid_request"),
                ("grant_type=\(Self.grant)&assertion=x", "invalid_grant"),
            ] {
                let response = try await Self.post(form, to: simulator)
                #expect(response.contains(error), "\(response)")
            }
        }
    }
}
