import ArgumentParser
import Crypto
import Domain
import Foundation
import Ports
import Product
import Services
import Storage

/// `HappinessAPI backup-key`: the keys for encrypted backups.
struct BackupKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup-key", abstract: "Create the two keys for encrypted backups.",
        discussion: "Changes nothing. Each run prints other keys.")

    func run() async throws {
        let pair = BackupKey.makePair()
        try await reportingFailure {
            ProgramOutput.print(
                """
                Set this on every worker. Backups are then encrypted to it:

                  BACKUP_PUBLIC_KEY=\(pair.publicText)

                Keep this away from the server, such as in a password manager. Without it no backup can be restored:

                  \(pair.privateText)
                """)
        }
    }
}

/// Reads encrypted backups.
struct BackupDecryption: ParsableArguments {
    @Option(
        help: """
            For an encrypted backup: a file with the private key that `HappinessAPI backup-key` printed; - reads standard \
            input.
            """)
    var key: InputFile?

    /// - Returns: `nil` without `--key`.
    /// - Throws: `OperatorError` if the file has no key, or an error of the file system.
    func privateKey() throws -> Curve25519.KeyAgreement.PrivateKey? {
        try key.map { try BackupKey.privateKey($0.open(), name: $0.path) }
    }

    /// Runs `body` with the path of a file that is not encrypted: `file` itself, or a copy, which is removed afterwards.
    /// - Parameter dataDirectory: for the copy.
    /// - Throws: `OperatorError` without the key or for a wrong one, or what `body` throws.
    func withPlainFile<Result>(
        _ file: InputFile, _ dataDirectory: String, _ body: (String) async throws -> Result
    ) async throws -> Result {
        try await TemporaryFolder.with(dataDirectory) { folder in
            let readable = try file.readable(in: folder)
            guard try EncryptedBackup.isOne(readable) else { return try await body(readable) }
            guard let key = try privateKey() else {
                throw OperatorError("This backup is encrypted. Name the file with the private key: --key FILE")
            }
            let plain = "\(folder)/plain"
            try EncryptedBackup.decrypt(readable, into: plain, with: key)
            return try await body(plain)
        }
    }
}

extension StoreLocation {
    /// Prints a warning if nothing proves that a backup is undamaged.
    /// - Throws: an error with an operator's message if it is damaged.
    func warnWithoutChecksum(_ plain: String, name: String) throws {
        guard try !verifyChecksum(of: plain) else { return }
        ProgramOutput.report(Data("Warning: \(name) has no checksum, so small damage cannot be noticed.\n".utf8))
    }
}
