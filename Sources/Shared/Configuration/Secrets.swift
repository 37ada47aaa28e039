public import Crypto
import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// The keys of an installation: whoever has both can forge log-ins and link receipts to people.
public struct Secrets: Sendable {
    /// Signs access tokens; keys for other uses are derived from it.
    public let jwt: SymmetricKey
    /// Keys the receipts.
    public let ballot: BallotSecret
    /// Signs messages to browsers; `nil` if there is none, and then browsers get none.
    public let vapid: VAPIDKey?

    /// What the settings say.
    struct Given: Sendable {
        let jwt: String?
        let ballot: String?
        let vapid: String?
    }

    /// Bytes. HMAC-SHA-256 with a shorter key is weaker than its output (RFC 7518 §3.2).
    public static let minimumLength = 32

    /// For tests and tools: secrets that are at hand.
    public init(jwt: SymmetricKey, ballot: BallotSecret, vapid: VAPIDKey? = nil) {
        self.jwt = jwt
        self.ballot = ballot
        self.vapid = vapid
    }

    /// The secrets of the settings. With SQLite a missing one is generated once into the data folder (mode 0600), so
    /// that trying the product takes no setting; with MongoDB, where processes on several machines must agree, both
    /// must be set. `VAPID_PRIVATE_KEY` must be so only for messages to browsers.
    /// - Throws: `SettingsError` for a missing or short secret, or an error of the file system.
    public static func load(_ settings: Settings) throws -> Secrets {
        let mayGenerate =
            switch settings.store {
            case .sqlite: true
            case .mongodb: false
            }
        func bytes(_ given: String?, key: String) throws -> SymmetricKey {
            if let given {
                guard given.utf8.count >= minimumLength else { throw tooShort(key) }
                return SymmetricKey(data: Data(given.utf8))
            }
            guard mayGenerate else {
                throw SettingsError(
                    key: key,
                    expectation: "set with MongoDB, and the same for every process (try: openssl rand -hex 32)")
            }
            let text = try generatedOnce(key, in: settings.dataDirectory) { SecureBytes.random(count: 32).hexadecimal }
            guard text.utf8.count >= minimumLength else { throw tooShort(key) }
            return SymmetricKey(data: Data(text.utf8))
        }
        return Secrets(
            jwt: try bytes(settings.givenSecrets.jwt, key: "JWT_SECRET"),
            ballot: BallotSecret(key: try bytes(settings.givenSecrets.ballot, key: "BALLOT_SECRET")),
            vapid: try vapid(settings, mayGenerate: mayGenerate))
    }

    private static func vapid(_ settings: Settings, mayGenerate: Bool) throws -> VAPIDKey? {
        let name = "VAPID_PRIVATE_KEY"
        let text: String
        if let given = settings.givenSecrets.vapid {
            text = given
        } else if mayGenerate {
            text = try generatedOnce(name, in: settings.dataDirectory) { VAPIDKey().privateText }
        } else if settings.push.drivers.contains(.webPush) {
            throw SettingsError(
                key: name, expectation: "set for webpush with MongoDB, and the same for every process")
        } else {
            return nil
        }
        guard let key = VAPIDKey(privateText: text) else {
            throw SettingsError(key: name, expectation: "a private key of P-256: 32 bytes in base64url")
        }
        return key
    }

    /// Refuses to go on with another secret than the store was used with: two `BALLOT_SECRET`s would let everybody
    /// vote twice, two `JWT_SECRET`s would log everybody out at every other request, and browsers take messages by one
    /// `VAPID_PRIVATE_KEY` only.
    /// - Throws: `SettingsError`, or what the store throws.
    public func matchFingerprints(in store: any SystemStore) async throws {
        let signing = vapid.map { ("VAPID_PRIVATE_KEY", SymmetricKey(data: $0.privateKey.rawRepresentation)) }
        for (name, key) in [("JWT_SECRET", jwt), ("BALLOT_SECRET", ballot.key)] + [signing].compactMap(\.self) {
            let own = SecureBytes.hmac(Data("fingerprint of \(name)".utf8), key: key)
            let stored = try await store.fingerprint(named: name, orStore: own)
            guard SecureBytes.areEqual(own, stored) else {
                throw SettingsError(
                    key: name, expectation: "the one this store has been used with; another one was found")
            }
        }
    }

    private static func tooShort(_ key: String) -> SettingsError {
        SettingsError(key: key, expectation: "at least \(minimumLength) bytes (try: openssl rand -hex 32)")
    }

    /// Reads the file `key` in the folder, or makes it. Of two processes that start together one makes it: a finished
    /// file is linked into place, which fails if there is one.
    private static func generatedOnce(
        _ key: String, in folder: String, making make: () -> String
    ) throws -> String {
        let path = folder + "/" + key
        if !FileManager.default.fileExists(atPath: path) {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let draft = "\(path).\(UUID().uuidString)"
            defer { unlink(draft) }
            let isWritten = FileManager.default.createFile(
                atPath: draft, contents: Data(make().utf8), attributes: [.posixPermissions: 0o600])
            guard isWritten else { throw CocoaError(.fileWriteUnknown) }
            if link(draft, path) != 0, errno != EEXIST {
                throw CocoaError(.fileWriteUnknown)
            }
        }
        return try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
