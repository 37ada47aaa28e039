import Crypto
import Domain
import Foundation
import Logging
import Ports
import TestSupport
import Testing

@testable import Services

/// A folder or bucket belongs to one installation.
@Suite struct InstallationMarkTests {
    private let secret = BallotSecret(key: SymmetricKey(data: Data("a secret of thirty-two bytes, or more".utf8)))
    private let other = InstallationMark(secret: BallotSecret(key: SymmetricKey(size: .bits256)))

    private var own: InstallationMark { InstallationMark(secret: secret) }

    @Test func `The first installation gets the folder, and every other one is refused`() async throws {
        try await TemporaryDirectory.with { directory in
            let folder = directory.path("new/backups")
            try own.requireOwn(folder: folder)
            #expect(!FileManager.default.fileExists(atPath: folder), "a check changes nothing")
            try own.claim(folder: folder)
            let file = "\(folder)/\(InstallationMark.name)"
            let mark = try Data(contentsOf: URL(filePath: file))
            // Another process of the same installation, or the same one after a restore.
            try own.claim(folder: folder)
            try own.requireOwn(folder: folder)
            let check = #expect(throws: OperatorError.self) { try other.requireOwn(folder: folder) }
            let claim = #expect(throws: OperatorError.self) { try other.claim(folder: folder) }
            for rejection in [check, claim] {
                let text = rejection?.description ?? ""
                #expect(text.hasPrefix("BACKUP_DIR is \(folder), which has the backups of another installation."))
                #expect(text.contains("delete \(file)."))
            }
            #expect(try Data(contentsOf: URL(filePath: file)) == mark)
            // A machine that stopped while it wrote the mark.
            try Data().write(to: URL(filePath: file))
            try other.requireOwn(folder: folder)
            try other.claim(folder: folder)
            #expect(throws: OperatorError.self) { try own.requireOwn(folder: folder) }
        }
    }

    @Test(arguments: ObjectStoreUnderTest.all)
    func `The first installation gets the bucket, and every other one is refused`(
        kind: ObjectStoreUnderTest
    ) async throws {
        try await kind.withStore { objects in
            try await own.requireOwn(bucket: objects)
            #expect(try await objects.listAll(prefix: "").isEmpty)
            try await own.claim(bucket: objects)
            let marks = try await objects.listAll(prefix: "")
            #expect(marks.map(\.key.text) == [InstallationMark.name])
            try await own.claim(bucket: objects)
            let error = await #expect(throws: OperatorError.self) { try await other.claim(bucket: objects) }
            #expect(error?.description.contains("has the backups of another installation") == true)
            await #expect(throws: OperatorError.self) { try await other.requireOwn(bucket: objects) }
            #expect(try await objects.listAll(prefix: "") == marks)
        }
    }

    @Test(arguments: ObjectStoreUnderTest.all)
    func `The first installation that starts gets the store of pictures, even if it has some already`(
        kind: ObjectStoreUnderTest
    ) async throws {
        let (own, other) = (self.own, self.other)
        try await kind.withStore { objects in
            // Of version 0.1.0, which sets no mark.
            let picture = ProfilePicture(uploadedAt: Date())
            try await objects.put(
                StoredObject(mediaType: "image/webp", bytes: [1]), at: picture.key(.small, .webp))
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            try await other.requireOwn(pictures: objects)
            for _ in 0..<2 {
                try await objects.checkAtStart(patience: .seconds(120), logger: logger) {
                    try await own.claim(pictures: objects)
                }
            }
            let error = await #expect(throws: OperatorError.self) {
                try await objects.checkAtStart(patience: .seconds(120), logger: logger) {
                    try await other.claim(pictures: objects)
                }
            }
            #expect(error?.description.contains("has the pictures of another installation") == true)
            try await own.requireOwn(pictures: objects)
            // Programs start nevertheless. Everyone sees the pictures, and nothing changes them.
            let log = CapturedLog()
            let shown = try await objects.picturesAtStart(mark: other, patience: .seconds(120), logger: log.logger)
            let key = picture.key(.small, .webp)
            #expect(log.text.contains("Pictures are read-only"))
            #expect(log.text.contains("has the pictures of another installation"))
            #expect(try await shown.get(key)?.bytes == [1])
            let refusal = ObjectStoreError.misconfigured(error?.description ?? "")
            await #expect(throws: refusal) { try await shown.check() }
            await #expect(throws: refusal) { try await shown.delete(key) }
            await #expect(throws: refusal) {
                try await shown.put(StoredObject(mediaType: "image/webp", bytes: [2]), at: key)
            }
            #expect(try await objects.get(key)?.bytes == [1])
            // Its own installation goes on as before.
            let usual = try await objects.picturesAtStart(mark: own, patience: .seconds(120), logger: logger)
            try await usual.check()
            // What the message advises.
            try await objects.delete(try #require(ObjectKey(InstallationMark.name)))
            try await other.claim(pictures: objects)
            await #expect(throws: OperatorError.self) { try await own.requireOwn(pictures: objects) }
        }
    }

    @Test func `A start does not wait for a store that is away, and marks nothing`() async throws {
        let own = self.own
        try await ObjectStoreUnderTest.file.withStore { store in
            let objects = FaultyObjectStore(store)
            objects.setFault(.error(.unavailable("away")))
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            try await objects.checkAtStart(logger: logger) { try await own.claim(pictures: objects) }
            await #expect(throws: ObjectStoreError.self) { try await own.claim(pictures: objects) }
            #expect(try await store.listAll(prefix: "").isEmpty)
        }
    }
}
