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

    /// What the settings say.
    struct Given: Sendable {
        let jwt: String?
        let ballot: String?
    }

    /// Bytes. HMAC-SHA-256 with a shorter key is weaker than its output (RFC 7518 §3.2).
    public static let minimumLength = 32

    /// For tests and tools: secrets that are at hand.
    public init(jwt: SymmetricKey, ballot: BallotSecret) {
        self.jwt = jwt
        self.ballot = ballot
    }

    /// The secrets of the settings. With SQLite a missing one is generated once into the data folder (mode 0600), so
    /// that trying the product takes no setting; with MongoDB, where processes on several machines must agree, both
    /// must be set.
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
            return SymmetricKey(data: Data(try generatedOnce(key, in: settings.dataDirectory).utf8))
        }
        return Secrets(
            jwt: try bytes(settings.givenSecrets.jwt, key: "JWT_SECRET"),
            ballot: BallotSecret(key: try bytes(settings.givenSecrets.ballot, key: "BALLOT_SECRET")))
    }

    /// Refuses to go on with another secret than the store was used with: two `BALLOT_SECRET`s would let everybody
    /// vote twice, two `JWT_SECRET`s would log everybody out at every other request.
    /// - Throws: `SettingsError`, or what the store throws.
    public func matchFingerprints(in store: any SystemStore) async throws {
        for (name, key) in [("JWT_SECRET", jwt), ("BALLOT_SECRET", ballot.key)] {
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
    private static func generatedOnce(_ key: String, in folder: String) throws -> String {
        let path = folder + "/" + key
        if !FileManager.default.fileExists(atPath: path) {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let draft = "\(path).\(UUID().uuidString)"
            defer { unlink(draft) }
            let text = SecureBytes.random(count: 32).hexadecimal
            let isWritten = FileManager.default.createFile(
                atPath: draft, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
            guard isWritten else { throw CocoaError(.fileWriteUnknown) }
            if link(draft, path) != 0, errno != EEXIST {
                throw CocoaError(.fileWriteUnknown)
            }
        }
        let text = try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.utf8.count >= minimumLength else { throw tooShort(key) }
        return text
    }
}
