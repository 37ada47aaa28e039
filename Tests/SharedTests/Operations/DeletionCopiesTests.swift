import Crypto
import Domain
import Foundation
import Ports
import Storage
import TestSupport
import Testing

@testable import Services

/// The lists of deletions in the folder and in the bucket.
@Suite struct DeletionCopiesTests {
    private struct Place {
        let stores: Stores
        let folder: String
        let objects: FaultyObjectStore

        var copies: DeletionCopies { copies(of: stores) }

        func copies(of stores: Stores) -> DeletionCopies {
            DeletionCopies(store: stores.rows, secret: TestTeam.secret, folder: folder, bucket: objects)
        }

        /// Remembers that an account was deleted.
        func delete(on day: String) async throws -> Deletion {
            let day = try #require(CalendarDay(day))
            let deletion = Deletion(of: .account(.random()), on: day, secret: TestTeam.secret)
            try await stores.remember([deletion])
            return deletion
        }

        func inFolder() throws -> DeletionList? {
            try DeletionCopies.read(DeletionCopies.file(in: folder)).map {
                try DeletionList($0, secret: TestTeam.secret)
            }
        }

        func inBucket() async throws -> DeletionList? {
            try await objects.get(DeletionCopies.key()).map { try DeletionList($0.bytes, secret: TestTeam.secret) }
        }
    }

    private static func withPlace(_ kind: StoreUnderTest, _ body: (Place) async throws -> Void) async throws {
        try await kind.withStores { stores in
            try await TemporaryDirectory.with { directory in
                try await ObjectStoreUnderTest.file.withStore { objects in
                    try await body(
                        Place(
                            stores: stores, folder: directory.path("backups"), objects: FaultyObjectStore(objects)))
                }
            }
        }
    }

    private let today = CalendarDay(instant: Date(timeIntervalSince1970: 1_795_000_000), in: .gmt)

    @Test(arguments: StoreUnderTest.all)
    func `What is deleted gets into both lists`(kind: StoreUnderTest) async throws {
        try await Self.withPlace(kind) { place in
            try await place.copies.update(on: today)
            #expect(try place.inFolder() == DeletionList(days: [:], day: today))
            let gone = try await place.delete(on: "2026-11-10")
            try await place.copies.update(on: today)
            let list = DeletionList(days: [gone.hash: gone.day], day: today)
            #expect(try place.inFolder() == list)
            #expect(try await place.inBucket() == list)
            let mode = try FileManager.default.attributesOfItem(atPath: DeletionCopies.file(in: place.folder))[
                .posixPermissions]
            #expect(mode as? Int == 0o600)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: place.folder).sorted()
                    == [DeletionList.name, InstallationMark.name])
        }
    }

    @Test func `While the bucket is away, the folder has the list, and the bucket gets it later`() async throws {
        try await Self.withPlace(.sqlite) { place in
            try await place.copies.update(on: today)
            place.objects.setFault(.error(.unavailable("away")))
            let gone = try await place.delete(on: "2026-11-10")
            await #expect(throws: ObjectStoreError.unavailable("away")) { try await place.copies.update(on: today) }
            #expect(try place.inFolder()?.days == [gone.hash: gone.day])
            place.objects.setFault(nil)
            #expect(try await place.inBucket()?.days == [:])
            try await place.copies.update(on: today)
            #expect(try await place.inBucket()?.days == [gone.hash: gone.day])
        }
    }

    @Test func `Both lists are written each time, so their times do not say when somebody left`() async throws {
        try await Self.withPlace(.sqlite) { place in
            try await place.copies.update(on: today)
            let file = DeletionCopies.file(in: place.folder)
            let past = Date(timeIntervalSince1970: 1_700_000_000)
            try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: file)
            // Only writing fails.
            place.objects.setFault(.fullAfter(writes: 0))
            await #expect(throws: ObjectStoreError.unavailable("no space left")) {
                try await place.copies.update(on: today)
            }
            let modified = try FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date
            #expect(try #require(modified) > past)
            #expect(try place.inFolder() == DeletionList(days: [:], day: today))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Deletions that are older than all backups are forgotten everywhere`(kind: StoreUnderTest) async throws {
        try await Self.withPlace(kind) { place in
            _ = try await place.delete(on: "2026-10-30")
            let kept = [try await place.delete(on: "2026-10-31"), try await place.delete(on: "2026-11-05")]
            try await place.copies.update(on: today)
            #expect(try place.inFolder()?.days.count == 3)
            let oldest = try #require(CalendarDay("2026-11-01"))
            try await place.copies.update(on: today, oldestBackup: oldest)
            let days = Dictionary(uniqueKeysWithValues: kept.map { ($0.hash, $0.day) })
            // One more day, for clocks that differ.
            let list = DeletionList(days: days, day: today, since: CalendarDay("2026-10-31"))
            #expect(try place.inFolder() == list)
            #expect(try await place.inBucket() == list)
            #expect(try await Set(place.stores.deletions()) == Set(kept))
            // The next one remembers since when.
            try await place.copies.update(on: today)
            #expect(try place.inFolder() == list)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A deletion that was made while the clock was behind gets the day on which it is seen, and stays`(
        kind: StoreUnderTest
    ) async throws {
        try await Self.withPlace(kind) { place in
            let oldest = try #require(CalendarDay("2026-11-01"))
            try await place.copies.update(on: today)
            try await place.copies.update(on: today, oldestBackup: oldest)
            // The update after a backup is the first that sees it, and also forgets old ones.
            let first = try await place.delete(on: "2026-09-20")
            try await place.copies.update(on: today, oldestBackup: oldest)
            #expect(try await place.stores.deletions() == [Deletion(hash: first.hash, day: today)])
            // The clock of this worker is behind, too.
            let second = try await place.delete(on: "2026-09-20")
            try await place.copies.update(on: second.day)
            try await place.copies.update(on: today, oldestBackup: oldest)
            let days = [first.hash: today, second.hash: oldest.adding(days: -1)]
            #expect(try place.inFolder()?.days == days)
            #expect(try await place.inBucket()?.days == days)
            // A restored store may have the wrong day, which does not replace that of the list.
            try await place.stores.remember([first])
            try await place.copies.update(on: today.adding(days: 1), oldestBackup: oldest)
            #expect(try place.inFolder()?.days == days)
            let stored = try await place.stores.deletions()
            #expect(Dictionary(uniqueKeysWithValues: stored.map { ($0.hash, $0.day) }) == days)
        }
    }

    @Test func `What was forgotten while the bucket was away does not come back from there`() async throws {
        try await Self.withPlace(.sqlite) { place in
            _ = try await place.delete(on: "2026-10-20")
            try await place.copies.update(on: today)
            place.objects.setFault(.error(.unavailable("away")))
            await #expect(throws: ObjectStoreError.unavailable("away")) {
                try await place.copies.update(on: today, oldestBackup: CalendarDay("2026-11-01"))
            }
            place.objects.setFault(nil)
            try await place.copies.update(on: today)
            #expect(try await place.inBucket()?.days == [:])
            #expect(try await place.stores.deletions().isEmpty)
        }
    }

    @Test func `A new store leaves in the lists what it does not know, and learns it`() async throws {
        try await Self.withPlace(.sqlite) { place in
            let gone = try await place.delete(on: "2026-11-10")
            try await place.copies.update(on: today)
            try await StoreUnderTest.sqlite.withStores { stores in
                try await place.copies(of: stores).update(on: today)
                #expect(try await stores.deletions() == [gone])
            }
            #expect(try place.inFolder()?.days == [gone.hash: gone.day])
            #expect(try await place.inBucket()?.days == [gone.hash: gone.day])
        }
    }

    @Test func `A damaged list is not replaced`() async throws {
        try await Self.withPlace(.sqlite) { place in
            try await place.copies.update(on: today)
            let file = DeletionCopies.file(in: place.folder)
            var bytes = try #require(try DeletionCopies.read(file))
            bytes[bytes.count / 2] ^= 1
            try Data(bytes).write(to: URL(filePath: file))
            let error = await #expect(throws: OperatorError.self) { try await place.copies.update(on: today) }
            #expect(error?.description.contains("in BACKUP_DIR is damaged") == true)
            #expect(try DeletionCopies.read(file) == bytes)
            // What the message advises.
            try FileManager.default.removeItem(atPath: file)
            try await place.copies.update(on: today)
            try await place.objects.put(StoredObject(mediaType: "text/plain", bytes: bytes), at: DeletionCopies.key())
            let inBucket = await #expect(throws: OperatorError.self) { try await place.copies.update(on: today) }
            #expect(inBucket?.description.contains("in BACKUP_BUCKET is damaged") == true)
            #expect(try await place.objects.get(DeletionCopies.key())?.bytes == bytes)
        }
    }

    @Test func `The lists of another installation are left alone`() async throws {
        try await Self.withPlace(.sqlite) { place in
            try await place.copies.update(on: today)
            let before = try place.inFolder()
            let other = DeletionCopies(
                store: place.stores.rows, secret: BallotSecret(key: SymmetricKey(size: .bits256)),
                folder: place.folder)
            await #expect(throws: OperatorError.self) { try await other.update(on: today) }
            #expect(try place.inFolder() == before)
        }
    }
}
