import Foundation
import Logging

/// A provider's discovery document and keys, loaded on demand and cached.
actor ProviderDocuments {
    /// Seconds. Upper bound for noticing that a provider moves or withdraws a key.
    private static let lifetime: TimeInterval = 3_600
    /// Seconds between two reloads of the keys because of an unknown key id: an attacker with made-up tokens must not
    /// make us query the provider each time.
    static let refreshInterval: TimeInterval = 60

    private let issuer: String
    private let http: ProviderHTTP
    private let now: @Sendable () -> Date
    private let logger: Logger

    private var metadata: (value: ProviderMetadata, read: Date)?
    private var keys: (value: KeySet, read: Date)?
    private var lastRefresh: Date?

    init(issuer: String, http: ProviderHTTP, now: @escaping @Sendable () -> Date, logger: Logger) {
        self.issuer = issuer
        self.http = http
        self.now = now
        self.logger = logger
    }

    /// - Throws: `OpenIDError.unavailable`.
    func currentMetadata() async throws -> ProviderMetadata {
        if let metadata, isCurrent(metadata.read) { return metadata.value }
        // Concurrent callers each load it; the last response is kept, and all of them are the provider's.
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        let value = try await http.document(ProviderMetadata.self, at: "\(base)/.well-known/openid-configuration")
        try value.validate(issuer: issuer)
        metadata = (value, now())
        return value
    }

    /// The key for a token's header. If it is unknown, reloads the keys, since providers change them without notice; at
    /// most once per `refreshInterval`.
    /// - Throws: `OpenIDError`: `unavailable`, `tokenRefused(.unknownKey)`.
    func key(id: String?, algorithm: SigningAlgorithm) async throws -> VerificationKey {
        if let keys, isCurrent(keys.read) {
            if let key = keys.value.key(id: id, algorithm: algorithm) { return key }
            guard mayRefresh else { throw OpenIDError.tokenRefused(.unknownKey) }
            // Set before loading, so that concurrent callers, and those after a failure, do not load again.
            lastRefresh = now()
        }
        guard let key = try await readKeys().key(id: id, algorithm: algorithm) else {
            throw OpenIDError.tokenRefused(.unknownKey)
        }
        return key
    }

    private func readKeys() async throws -> KeySet {
        let value = try await http.document(KeySet.self, at: try await currentMetadata().jwksURI)
        keys = (value, now())
        logger.debug("Read the keys of an OpenID provider", metadata: ["issuer": "\(issuer)"])
        return value
    }

    private var mayRefresh: Bool {
        guard let lastRefresh else { return true }
        return abs(now().timeIntervalSince(lastRefresh)) >= Self.refreshInterval
    }

    /// Not in the future either, in case the clock was set back.
    private func isCurrent(_ read: Date) -> Bool {
        (0..<Self.lifetime).contains(now().timeIntervalSince(read))
    }
}
