import Crypto
import Foundation
import TestSupport
import Testing

@testable import Services

/// A folder or bucket of backups belongs to one installation.
@Suite struct BackupOwnerTests {
    private let secret = BallotSecret(key: SymmetricKey(data: Data("a secret of thirty-two bytes, or more".utf8)))
    private let other = BackupOwner(secret: BallotSecret(key: SymmetricKey(size: .bits256)))

    private var owner: BackupOwner { BackupOwner(secret: secret) }

    @Test func `The first installation gets the folder, and every other one is refused`() async throws {
        try await TemporaryDirectory.with { directory in
            let folder = directory.path("new/backups")
            try owner.requireOwn(folder: folder)
            #expect(!FileManager.default.fileExists(atPath: folder), "a check changes nothing")
            try owner.claim(folder: folder)
            let file = "\(folder)/\(BackupOwner.mark)"
            let mark = try Data(contentsOf: URL(filePath: file))
            // Another process of the same installation, or the same one after a restore.
            try owner.claim(folder: folder)
            try owner.requireOwn(folder: folder)
            let check = #expect(throws: OperatorError.self) { try other.requireOwn(folder: folder) }
            let claim = #expect(throws: OperatorError.self) { try other.claim(folder: folder) }
            for refusal in [check, claim] {
                let text = refusal?.description ?? ""
                #expect(text.hasPrefix("BACKUP_DIR is \(folder), which has the backups of another installation."))
                #expect(text.contains("delete \(file)."))
            }
            #expect(try Data(contentsOf: URL(filePath: file)) == mark)
            // A machine that stopped while it wrote the mark.
            try Data().write(to: URL(filePath: file))
            try other.requireOwn(folder: folder)
            try other.claim(folder: folder)
            #expect(throws: OperatorError.self) { try owner.requireOwn(folder: folder) }
        }
    }

    @Test(arguments: ObjectStoreUnderTest.all)
    func `The first installation gets the bucket, and every other one is refused`(
        kind: ObjectStoreUnderTest
    ) async throws {
        try await kind.withStore { objects in
            try await owner.requireOwn(bucket: objects)
            #expect(try await objects.listAll(prefix: "").isEmpty)
            try await owner.claim(bucket: objects)
            let marks = try await objects.listAll(prefix: "")
            #expect(marks.map(\.key.text) == [BackupOwner.mark])
            try await owner.claim(bucket: objects)
            try await owner.requireOwnAtStart(bucket: objects)
            let error = await #expect(throws: OperatorError.self) { try await other.claim(bucket: objects) }
            #expect(error?.description.contains("has the backups of another installation") == true)
            await #expect(throws: OperatorError.self) { try await other.requireOwnAtStart(bucket: objects) }
            #expect(try await objects.listAll(prefix: "") == marks)
        }
    }

    @Test func `A start does not wait for a bucket that is away`() async throws {
        try await TemporaryDirectory.with { directory in
            try await ObjectStoreUnderTest.file.withStore { objects in
                let objects = FaultyObjectStore(objects)
                objects.setFault(.error(.unavailable("away")))
                try await owner.requireOwnAtStart(bucket: objects)
                await #expect(throws: ObjectStoreError.self) { try await owner.claim(bucket: objects) }
            }
        }
    }
}
