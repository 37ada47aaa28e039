package import Crypto
import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// The keys of an installation: an attacker who has both can forge logins and link receipts to users.
package struct Secrets: Sendable {
    /// Signs access tokens; keys for other uses are derived from it.
    package let jwt: SymmetricKey
    /// Keys the receipts.
    package let ballot: BallotSecret
    /// Signs messages to browsers; `nil` disables those messages.
    package let vapid: VAPIDKey?

    /// The secrets found in the settings.
    struct Given: Sendable {
        let jwt: String?
        let ballot: String?
        let vapid: String?

        /// - Parameter mayGenerate: whether `Secrets.load` generates missing ones.
        init(reader: SettingsReader, mayGenerate: Bool) {
            func secret(_ key: String) -> String? {
                let text = reader.optionalText(key, isSecret: true)
                if let text, text.utf8.count < minimumLength {
                    reader.refuse(key, expectation: tooShort)
                } else if text == nil, !mayGenerate {
                    reader.refuse(
                        key, expectation: "set with MongoDB, and the same for every process (try: openssl rand -hex 32)"
                    )
                }
                return text
            }
            jwt = secret("JWT_SECRET")
            ballot = secret("BALLOT_SECRET")
            vapid = reader.optionalText("VAPID_PRIVATE_KEY", isSecret: true)
            if let vapid, VAPIDKey(privateText: vapid) == nil {
                reader.refuse("VAPID_PRIVATE_KEY", expectation: noKey)
            }
        }
    }

    /// Bytes. HMAC-SHA-256 with a shorter key is weaker than its output (RFC 7518 §3.2).
    package static let minimumLength = 32

    /// For tests and tools, which supply their own secrets.
    package init(jwt: SymmetricKey, ballot: BallotSecret, vapid: VAPIDKey? = nil) {
        self.jwt = jwt
        self.ballot = ballot
        self.vapid = vapid
    }

    /// Loads the secrets. With SQLite a missing one is generated once in the data folder (mode 0600), so that a demo
    /// needs no settings. With MongoDB, where processes on several machines must agree, both must be set;
    /// `VAPID_PRIVATE_KEY` is required only for messages to browsers; `Settings` requires that they are.
    /// - Throws: `SettingsError` for a short secret in the data folder, or an error of the file system.
    package static func load(_ settings: Settings) throws -> Secrets {
        func bytes(_ given: String?, key: String) throws -> SymmetricKey {
            let text =
                try given
                ?? generatedOnce(key, in: settings.dataDirectory) { SecureBytes.random(count: 32).hexadecimal }
            guard text.utf8.count >= minimumLength else { throw SettingsError(key: key, expectation: tooShort) }
            return SymmetricKey(data: Data(text.utf8))
        }
        return Secrets(
            jwt: try bytes(settings.givenSecrets.jwt, key: "JWT_SECRET"),
            ballot: BallotSecret(key: try bytes(settings.givenSecrets.ballot, key: "BALLOT_SECRET")),
            vapid: try vapid(settings))
    }

    private static func vapid(_ settings: Settings) throws -> VAPIDKey? {
        let name = "VAPID_PRIVATE_KEY"
        let text: String
        if let given = settings.givenSecrets.vapid {
            text = given
        } else if settings.store.generatesSecrets {
            text = try generatedOnce(name, in: settings.dataDirectory) { VAPIDKey().privateText }
        } else {
            return nil
        }
        guard let key = VAPIDKey(privateText: text) else {
            throw SettingsError(key: name, expectation: noKey)
        }
        return key
    }

    /// Fails if a secret differs from the one used with the store before. A different `BALLOT_SECRET` would let
    /// everyone vote twice, two `JWT_SECRET`s would log everyone out with every other request, and browsers accept
    /// messages from only one `VAPID_PRIVATE_KEY`.
    /// - Throws: `SettingsError`, or what the store throws.
    package func matchFingerprints(in store: any SystemStore) async throws {
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

    private static let tooShort = "at least \(minimumLength) bytes (try: openssl rand -hex 32)"
    private static let noKey = "a private key of P-256: 32 bytes in base64url"

    /// Reads the file `key` in the folder, or creates it. If two processes start together, one creates it: a complete
    /// file is linked into place, which fails if the name exists.
    private static func generatedOnce(
        _ key: String, in folder: String, making make: () -> String
    ) throws -> String {
        let path = folder + "/" + key
        return try OperatorMessage.writing(to: folder, setting: "DATA_DIR") {
            if !FileManager.default.fileExists(atPath: path) { try create(path, in: folder, making: make) }
            return try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }

    private static func create(_ path: String, in folder: String, making make: () -> String) throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let draft = "\(path).\(UUID().uuidString)"
        defer { unlink(draft) }
        let isWritten = FileManager.default.createFile(
            atPath: draft, contents: Data(make().utf8), attributes: [.posixPermissions: 0o600])
        guard isWritten, link(draft, path) == 0 || errno == EEXIST else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path])
        }
    }
}
