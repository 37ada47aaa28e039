package import Crypto
package import Domain
package import Foundation

/// The key pair of encrypted backups. The programs have the public key only: `BACKUP_PUBLIC_KEY`. So nobody who gets
/// hold of backups and server can read old backups.
package enum BackupKey {
    /// A new pair as text: the private key to keep elsewhere, and the public key for the setting.
    package static func makePair() -> (privateText: String, publicText: String) {
        let key = Curve25519.KeyAgreement.PrivateKey()
        return (key.rawRepresentation.base64URL, key.publicKey.rawRepresentation.base64URL)
    }

    /// Parses `BACKUP_PUBLIC_KEY`.
    /// - Throws: `SettingsError`.
    package static func publicKey(
        setting text: String
    ) throws(SettingsError) -> Curve25519.KeyAgreement.PublicKey {
        guard let bytes = [UInt8](base64URL: text),
            let key = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: bytes)
        else {
            throw SettingsError(
                key: "BACKUP_PUBLIC_KEY", expectation: "the public key that HappinessAPI backup-key printed")
        }
        return key
    }

    /// Reads a private key from the file in which an operator keeps it.
    /// - Throws: `OperatorError`, or an error of the file system.
    package static func privateKey(file: String) throws -> Curve25519.KeyAgreement.PrivateKey {
        try privateKey(FileHandle(forReadingFrom: URL(filePath: file)), name: file)
    }

    /// Reads a private key.
    /// - Parameter file: what the operator calls `handle`.
    /// - Throws: `OperatorError`, or an error of the file system.
    package static func privateKey(
        _ handle: FileHandle, name file: String
    ) throws -> Curve25519.KeyAgreement.PrivateKey {
        // Much longer than a key.
        let content = try handle.read(upToCount: 1_000) ?? Data()
        let text = String(decoding: content, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let bytes = [UInt8](base64URL: text),
            let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes)
        else { throw OperatorError("\(file) does not contain the private key that HappinessAPI backup-key printed.") }
        return key
    }
}
