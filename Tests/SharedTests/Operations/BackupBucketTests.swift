import Domain
import Foundation
import Ports
import TestSupport
import Testing

@testable import Services

/// Copies of backups in both kinds of object store.
@Suite struct BackupBucketTests {
    /// An empty bucket, and a folder with files like encrypted backups.
    private struct Place {
        let directory: TemporaryDirectory
        let objects: FaultyObjectStore
        let bucket: BackupBucket

        /// - Parameter parts: the last of them is not full.
        func backup(_ day: String, parts: Int = 1, isEncrypted: Bool = true) throws -> BackupFolder.Entry {
            let bytes = SecureBytes.random(count: (parts - 1) * BackupBucket.partLength + 1_000)
            let path = directory.path("happiness-\(day).\(isEncrypted ? "encrypted" : "backup")")
            try Data(bytes).write(to: URL(filePath: path))
            return BackupFolder.Entry(
                day: try #require(CalendarDay(day)), path: path, size: bytes.count, isEncrypted: isEncrypted)
        }

        func days() async throws -> [String] { try await bucket.list().map(\.day.description) }

        func keys() async throws -> [String] { try await objects.listAll(prefix: "").map(\.key.text) }
    }

    private func withPlace(
        _ kind: ObjectStoreUnderTest = .file, keep rule: String = "7d", _ body: (Place) async throws -> Void
    ) async throws {
        let rule = try BackupRule(setting: rule)
        try await TemporaryDirectory.with { directory in
            try await kind.withStore { objects in
                let objects = FaultyObjectStore(objects)
                try await body(
                    Place(directory: directory, objects: objects, bucket: BackupBucket(objects: objects, rule: rule)))
            }
        }
    }

    @Test(arguments: ObjectStoreUnderTest.all)
    func `A backup is copied once, in parts, and comes back as it was`(kind: ObjectStoreUnderTest) async throws {
        try await withPlace(kind) { place in
            let backups = [try place.backup("2026-11-20"), try place.backup("2026-11-21", parts: 3)]
            #expect(try await place.bucket.update(from: backups) == CopyChanges(added: 2))
            #expect(try await place.keys().count == 2 + 4)
            #expect(try await place.bucket.update(from: backups).isEmpty)
            #expect(try await place.days() == ["2026-11-20", "2026-11-21"])
            #expect(try await place.bucket.list().map(\.size) == backups.map(\.size))

            let file = place.directory.path("copy")
            try await place.bucket.download(backups[1].day, to: file)
            #expect(try Data(contentsOf: URL(filePath: file)) == Data(contentsOf: URL(filePath: backups[1].path)))
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            // It is not overwritten.
            await #expect(throws: OperatorError.self) { try await place.bucket.download(backups[0].day, to: file) }
        }
    }

    @Test func `An interrupted upload does not count, and goes on with what is missing`() async throws {
        try await withPlace { place in
            let backup = try place.backup("2026-11-21", parts: 3)
            place.objects.setFault(.fullAfter(writes: 2))
            await #expect(throws: ObjectStoreError.self) { try await place.bucket.update(from: [backup]) }
            #expect(try await place.days() == [])
            let file = place.directory.path("copy")
            await #expect(throws: OperatorError.self) { try await place.bucket.download(backup.day, to: file) }

            // The third part, and the object that completes the copy.
            place.objects.setFault(.fullAfter(writes: 2))
            #expect(try await place.bucket.update(from: [backup]) == CopyChanges(added: 1))
            try await place.bucket.download(backup.day, to: file)
            #expect(try Data(contentsOf: URL(filePath: file)) == Data(contentsOf: URL(filePath: backup.path)))
        }
    }

    @Test func `The rule keeps backups in the bucket that the folder has lost`() async throws {
        try await withPlace(keep: "2d") { place in
            _ = try await place.bucket.update(from: [try place.backup("2026-11-19"), try place.backup("2026-11-20")])
            // Another server, with an empty folder.
            let changes = try await place.bucket.update(from: [try place.backup("2026-11-21")])
            #expect(changes == CopyChanges(added: 1, removed: 1))
            #expect(try await place.days() == ["2026-11-20", "2026-11-21"])
            // One that the rule would delete at once is not copied.
            #expect(try await place.bucket.update(from: [try place.backup("2026-11-18")]).isEmpty)
        }
    }

    @Test func `What an interrupted upload left is deleted after the next day's backup`() async throws {
        try await withPlace { place in
            place.objects.setFault(.fullAfter(writes: 1))
            await #expect(throws: ObjectStoreError.self) {
                try await place.bucket.update(from: [try place.backup("2026-11-20", parts: 2)])
            }
            place.objects.setFault(nil)
            let changes = try await place.bucket.update(from: [try place.backup("2026-11-21")])
            #expect(changes == CopyChanges(added: 1, removed: 1))
            #expect(try await place.keys().allSatisfy { $0.hasPrefix("backups/2026-11-21/") })
        }
    }

    @Test func `A copy that lost a part does not count, and is made whole from the folder`() async throws {
        try await withPlace { place in
            let backup = try place.backup("2026-11-20", parts: 3)
            _ = try await place.bucket.update(from: [backup])
            try await place.objects.delete(try #require(ObjectKey(try await place.keys()[1])))
            #expect(try await place.days() == [])
            // The lost part, and the object that completes the copy.
            place.objects.setFault(.fullAfter(writes: 2))
            #expect(try await place.bucket.update(from: [backup]) == CopyChanges(added: 1))
            #expect(try await place.days() == ["2026-11-20"])
        }
    }

    @Test func `A copy with a changed part is refused, and leaves no file`() async throws {
        try await withPlace { place in
            let backup = try place.backup("2026-11-20", parts: 2)
            _ = try await place.bucket.update(from: [backup])
            let changed = StoredObject(
                mediaType: "application/octet-stream", bytes: [UInt8](repeating: 1, count: 1_000))
            try await place.objects.put(changed, at: try #require(ObjectKey(try await place.keys()[1])))
            let before = try FileManager.default.contentsOfDirectory(atPath: place.directory.path("")).sorted()
            let file = place.directory.path("copy")
            let error = await #expect(throws: OperatorError.self) {
                try await place.bucket.download(backup.day, to: file)
            }
            #expect(error?.description.contains("damaged") == true)
            #expect(try FileManager.default.contentsOfDirectory(atPath: place.directory.path("")).sorted() == before)
        }
    }

    @Test func `If two workers copied a backup of a day each, the sound one comes back`() async throws {
        try await withPlace { place in
            // Another worker's file of the same day, which it had not finished when the second one began.
            let first = try place.backup("2026-11-20")
            place.objects.setFault(.fullAfter(writes: 1))
            await #expect(throws: ObjectStoreError.self) { try await place.bucket.update(from: [first]) }
            place.objects.setFault(nil)
            _ = try await place.bucket.update(from: [try place.backup("2026-11-20")])
            for name in try await place.keys() where name.hasSuffix("/000001") {
                let mark = name.replacing("000001", with: "complete-1000")
                try await place.objects.put(
                    StoredObject(mediaType: "text/plain", bytes: []), at: try #require(ObjectKey(mark)))
            }
            #expect(try await place.days() == ["2026-11-20", "2026-11-20"])
            // One of the two is damaged: the one that is tried first.
            let changed = StoredObject(
                mediaType: "application/octet-stream", bytes: [UInt8](repeating: 1, count: 1_000))
            try await place.objects.put(changed, at: try #require(ObjectKey(try await place.keys()[0])))
            let file = place.directory.path("copy")
            try await place.bucket.download(first.day, to: file)
            #expect(try Data(contentsOf: URL(filePath: file)) != Data(changed.bytes))
        }
    }

    @Test func `A backup that is not encrypted never gets into the bucket`() async throws {
        try await withPlace { place in
            let plain = try place.backup("2026-11-21", isEncrypted: false)
            #expect(try await place.bucket.update(from: [plain]).isEmpty)
            #expect(try await place.keys().isEmpty)
        }
    }
}
