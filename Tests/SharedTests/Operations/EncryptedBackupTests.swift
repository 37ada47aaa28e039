import Crypto
import Domain
import Foundation
import Services
import TestSupport
import Testing

/// Encrypted backups: only the private key opens them, and a changed or shortened file is noticed.
@Suite struct EncryptedBackupTests {
    /// Around the length of a piece, 1 MiB.
    @Test(arguments: [0, 1, 1_048_575, 1_048_576, 1_048_577, 3_000_000])
    func `The private key brings back every byte`(length: Int) async throws {
        try await TemporaryDirectory.with { directory in
            let content = Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
            try content.write(to: directory.url.appending(path: "plain"))
            let pair = BackupKey.makePair()
            try EncryptedBackup.encrypt(
                directory.path("plain"), into: directory.path("sealed"),
                for: BackupKey.publicKey(setting: pair.publicText))
            #expect(try EncryptedBackup.isOne(directory.path("sealed")))
            #expect(try !EncryptedBackup.isOne(directory.path("plain")))
            let attributes = try FileManager.default.attributesOfItem(atPath: directory.path("sealed"))
            #expect(attributes[.posixPermissions] as? Int == 0o600)

            try Data("\(pair.privateText)\n".utf8).write(to: directory.url.appending(path: "key"))
            try EncryptedBackup.decrypt(
                directory.path("sealed"), into: directory.path("opened"),
                with: BackupKey.privateKey(file: directory.path("key")))
            #expect(try Data(contentsOf: directory.url.appending(path: "opened")) == content)
        }
    }

    @Test func `Another key, and a file that was changed, cut off or reordered, are refused`() async throws {
        try await TemporaryDirectory.with { directory in
            let key = Curve25519.KeyAgreement.PrivateKey()
            try Data(repeating: 7, count: 3 << 20).write(to: directory.url.appending(path: "plain"))
            try EncryptedBackup.encrypt(directory.path("plain"), into: directory.path("sealed"), for: key.publicKey)
            let sealed = try Data(contentsOf: directory.url.appending(path: "sealed"))
            let headLength = Data("Happiness Metric backup, encrypted, 1\n".utf8).count + 32
            let pieceLength = 4 + (1 << 20) + 16
            #expect(sealed.count == headLength + 3 * pieceLength)
            let head = Data(sealed.prefix(headLength))
            let pieces = (0..<3).map { Data(sealed.dropFirst(headLength + $0 * pieceLength).prefix(pieceLength)) }
            var changed = sealed
            changed[sealed.count - 1] ^= 1
            func joined(_ order: Int...) -> Data { order.reduce(head) { $0 + pieces[$1] } }
            #expect(joined(0, 1, 2) == sealed)
            let wrong: [Data] = [
                changed, joined(), joined(0), joined(0, 1), joined(1, 0, 2), joined(0, 1, 2, 2),
                Data(sealed.dropLast()), sealed + Data([0]), Data("no backup".utf8),
            ]
            for (number, bytes) in wrong.enumerated() {
                try bytes.write(to: directory.url.appending(path: "wrong\(number)"))
                #expect(throws: OperatorError.self, "\(number)") {
                    try EncryptedBackup.decrypt(
                        directory.path("wrong\(number)"), into: directory.path("opened\(number)"), with: key)
                }
            }
            #expect(throws: OperatorError.self) {
                try EncryptedBackup.decrypt(
                    directory.path("sealed"), into: directory.path("opened"),
                    with: Curve25519.KeyAgreement.PrivateKey())
            }
        }
    }

    @Test(arguments: ["", "short", String(repeating: "A", count: 44)])
    func `A key that is none is refused`(text: String) async throws {
        #expect(throws: SettingsError.self) { try BackupKey.publicKey(setting: text) }
        try await TemporaryDirectory.with { directory in
            try Data(text.utf8).write(to: directory.url.appending(path: "key"))
            #expect(throws: OperatorError.self) { try BackupKey.privateKey(file: directory.path("key")) }
        }
    }
}
