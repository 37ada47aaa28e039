package import Crypto
package import Domain
import Foundation
package import Ports
package import Storage

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
            ballot: BallotSecret(
                key: try bytes(settings.givenSecrets.ballot, key: "BALLOT_SECRET"),
                subaddressing: settings.accounts.subaddressing),
            vapid: try vapid(settings))
    }

    private static func vapid(_ settings: Settings) throws -> VAPIDKey? {
        let name = vapidName
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

    /// Fails if secrets differ from those used with the store before. A different `BALLOT_SECRET` would let everyone vote
    /// twice, two `JWT_SECRET`s would log everyone out with every other request, and browsers accept messages from only
    /// one `VAPID_PRIVATE_KEY`.
    /// - Throws: `SettingsError` with all that differ, or what the store throws. Then nothing was stored.
    package func matchFingerprints(in store: any SystemStore) async throws {
        var keys = ["JWT_SECRET": jwt, "BALLOT_SECRET": ballot.key]
        if let vapid { keys[Self.vapidName] = vapid.symmetric }
        let expectation = "the one this store has been used with; another one was found"
        try Self.require(keys, toMatch: try await store.fingerprints(), expectation: expectation)
        for (name, key) in keys {
            let own = Self.fingerprint(of: name, key)
            // Another process may have been faster.
            let stored = try await store.fingerprint(named: name, orStore: own)
            try Self.require([name: key], toMatch: [name: stored], expectation: expectation)
        }
    }

    /// Fails if secrets in the settings or in the data folder differ from those that a backup was made with, or are
    /// missing. Generates none.
    /// - Parameter fingerprints: those of the backup, by name.
    /// - Throws: `SettingsError` with all of them, or an error of the file system.
    package static func requireMatch(_ settings: Settings, _ fingerprints: [String: [UInt8]]) throws {
        var keys = try existing(settings)
        var expected = ofSecrets(fingerprints)
        // Without it the programs send no messages to browsers. With SQLite it would be generated.
        if !settings.store.generatesSecrets, keys[vapidName] == nil { expected[vapidName] = nil }
        // A missing secret matches nothing.
        for name in expected.keys where keys[name] == nil { keys[name] = SymmetricKey(size: .bits256) }
        try require(
            keys, toMatch: expected, expectation: "the one this backup was made with; another one was found, or none")
    }

    /// `BALLOT_SECRET` from the settings or the data folder. Generates none.
    /// - Returns: `nil` if there is none yet.
    /// - Throws: an error of the file system.
    package static func existingBallotSecret(_ settings: Settings) throws -> BallotSecret? {
        try existing(settings)["BALLOT_SECRET"].map { BallotSecret(key: $0) }
    }

    /// Whether a store or backup with these fingerprints was used with this secret, or with none yet.
    package static func isKnown(_ secret: BallotSecret, to fingerprints: [String: [UInt8]]) -> Bool {
        let name = "BALLOT_SECRET"
        return fingerprints[name].map { SecureBytes.areEqual(fingerprint(of: name, secret.key), $0) } ?? true
    }

    private static func require(
        _ keys: [String: SymmetricKey], toMatch fingerprints: [String: [UInt8]], expectation: String
    ) throws {
        let different = keys.filter { name, key in
            fingerprints[name].map { !SecureBytes.areEqual(fingerprint(of: name, key), $0) } ?? false
        }
        let problems = different.keys.sorted().map { SettingsError(key: $0, expectation: expectation) }
        guard let first = problems.first else { return }
        throw SettingsError(key: first.key, expectation: first.expectation, others: Array(problems.dropFirst()))
    }

    private static func fingerprint(of name: String, _ key: SymmetricKey) -> [UInt8] {
        SecureBytes.hmac(Data("fingerprint of \(name)".utf8), key: key)
    }

    /// The secrets that are set or have been generated, by name.
    private static func existing(_ settings: Settings) throws -> [String: SymmetricKey] {
        func text(_ given: String?, _ name: String) throws -> String? {
            let path = "\(settings.dataDirectory)/\(name)"
            if let given { return given }
            guard settings.store.generatesSecrets, FileManager.default.fileExists(atPath: path) else { return nil }
            return try generatedText(path)
        }
        var keys: [String: SymmetricKey] = [:]
        for (name, given) in [
            ("JWT_SECRET", settings.givenSecrets.jwt), ("BALLOT_SECRET", settings.givenSecrets.ballot),
        ] {
            keys[name] = try text(given, name).map { SymmetricKey(data: Data($0.utf8)) }
        }
        let vapid = try text(settings.givenSecrets.vapid, vapidName).flatMap { VAPIDKey(privateText: $0) }
        keys[vapidName] = vapid?.symmetric
        return keys
    }

    private static let vapidName = "VAPID_PRIVATE_KEY"
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
            return try generatedText(path)
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

    private static func generatedText(_ path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

extension VAPIDKey {
    /// As a key for its fingerprint.
    fileprivate var symmetric: SymmetricKey { SymmetricKey(data: privateKey.rawRepresentation) }
}
