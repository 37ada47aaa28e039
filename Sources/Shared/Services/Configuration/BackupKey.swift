package import Crypto
import Foundation

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
        let text = try String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let bytes = [UInt8](base64URL: text),
            let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes)
        else { throw OperatorError("\(file) does not contain the private key that HappinessAPI backup-key printed.") }
        return key
    }
}
