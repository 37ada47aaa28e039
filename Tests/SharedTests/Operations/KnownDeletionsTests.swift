import Crypto
import Domain
import Foundation
import Ports
import Storage
import TestSupport
import Testing

@testable import Services

/// What a restore knows of deletions before it begins.
@Suite struct KnownDeletionsTests {
    private static let secretText = "a secret of thirty-two bytes, or more"
    private static let secret = BallotSecret(key: SymmetricKey(data: Data(secretText.utf8)))
    private let today = CalendarDay(instant: Date(timeIntervalSince1970: 1_795_000_000), in: .gmt)

    /// A folder of backups, and perhaps a store.
    private struct Place {
        let directory: TemporaryDirectory

        var folder: String { directory.path("backups") }

        func settings(_ other: [String: String] = [:]) throws -> Settings {
            let values = [
                "DATA_DIR": directory.path("data"), "BACKUP_DIR": folder,
                "BALLOT_SECRET": KnownDeletionsTests.secretText,
            ]
            return try Settings(values: values.merging(other) { $1 })
        }

        func write(_ deletions: [Deletion], on day: CalendarDay, since: CalendarDay? = nil) throws {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let days = Dictionary(uniqueKeysWithValues: deletions.map { ($0.hash, $0.day) })
            let list = DeletionList(days: days, day: day, since: since).encoded(secret: KnownDeletionsTests.secret)
            try DeletionCopies.write(list, to: DeletionCopies.file(in: folder))
        }
    }

    private func withPlace(_ body: (Place) async throws -> Void) async throws {
        try await TemporaryDirectory.with { try await body(Place(directory: $0)) }
    }

    private func deletion(_ daysAgo: Int) -> Deletion {
        Deletion(of: .account(.random()), on: today.adding(days: -daysAgo), secret: Self.secret)
    }

    private func backup(_ deletions: [Deletion]?, daysAgo: Int? = nil) -> BackupContent {
        BackupContent(
            fingerprints: [:], deletions: deletions,
            lastJob: daysAgo.map { today.adding(days: -$0).firstInstant(in: .gmt) })
    }

    @Test func `A list that lacks what the backup knows is refused, unless that is too old`() async throws {
        try await withPlace { place in
            let (old, first, second) = (deletion(40), deletion(20), deletion(10))
            try place.write([first], on: today, since: today.adding(days: -30))
            let known = try await KnownDeletions.read(place.settings(), bucket: nil)
            #expect(known.all == [first] && known.listed == today)
            try known.require(for: backup([]))
            try known.require(for: backup([old, first]))
            // Somebody put an earlier list in the place of the present one.
            let error = #expect(throws: OperatorError.self) { try known.require(for: backup([first, second])) }
            #expect(error?.description.contains("is older than the backup, or has lost entries") == true)
            // Kept by hand for longer than the daily ones.
            try known.require(for: backup([old], daysAgo: 30))
            let age = #expect(throws: OperatorError.self) { try known.require(for: backup([old], daysAgo: 31)) }
            #expect(age?.description.contains("The backup is too old") == true)
            let version = #expect(throws: OperatorError.self) { try known.require(for: backup(nil)) }
            #expect(version?.description.contains("of a version that kept no list") == true)
        }
    }

    @Test func `A bucket that is away matters only if the folder has no list`() async throws {
        try await withPlace { place in
            try await ObjectStoreUnderTest.file.withStore { objects in
                let bucket = FaultyObjectStore(objects)
                bucket.setFault(.error(.unavailable("the bucket is away")))
                let without = try await KnownDeletions.read(place.settings(), bucket: bucket)
                let error = #expect(throws: OperatorError.self) { try without.require(for: backup([])) }
                #expect(error?.description.contains("the bucket is away") == true)
                try place.write([], on: today)
                try await KnownDeletions.read(place.settings(), bucket: bucket).require(for: backup([]))
            }
        }
    }

    @Test func `The list in the bucket is enough, and what both lists have is joined`() async throws {
        try await withPlace { place in
            try await ObjectStoreUnderTest.file.withStore { bucket in
                let (first, second) = (deletion(2), deletion(1))
                let list = DeletionList(days: [first.hash: first.day], day: today).encoded(secret: Self.secret)
                try await bucket.put(StoredObject(mediaType: "text/plain", bytes: list), at: DeletionCopies.key())
                let alone = try await KnownDeletions.read(place.settings(), bucket: bucket)
                try alone.require(for: backup([first]))
                try place.write([second], on: today)
                let both = try await KnownDeletions.read(place.settings(), bucket: bucket)
                #expect(both.hashes == [first.hash, second.hash])
                try both.require(for: backup([first, second]))
            }
        }
    }

    @Test func `A damaged list is refused even if another one is sound`() async throws {
        try await withPlace { place in
            try await ObjectStoreUnderTest.file.withStore { bucket in
                let gone = deletion(1)
                try place.write([gone], on: today)
                var bytes = try #require(try DeletionCopies.read(DeletionCopies.file(in: place.folder)))
                bytes[bytes.count - 2] ^= 1
                try await bucket.put(StoredObject(mediaType: "text/plain", bytes: bytes), at: DeletionCopies.key())
                let known = try await KnownDeletions.read(place.settings(), bucket: bucket)
                let error = #expect(throws: OperatorError.self) { try known.require(for: backup([])) }
                #expect(error?.description.contains("in BACKUP_BUCKET is damaged") == true)
                // With --without-deletions, what the sound one has is repeated.
                #expect(known.hashes == [gone.hash])
            }
        }
    }

    @Test func `What was found survives an interrupted restore`() async throws {
        try await withPlace { place in
            let gone = deletion(1)
            try place.write([gone], on: today)
            let settings = try place.settings()
            try await KnownDeletions.read(settings, bucket: nil).save(settings, secret: Self.secret, on: today)
            try FileManager.default.removeItem(atPath: place.folder)
            // A restore that changed nothing, perhaps long ago, does not stand in for the list.
            let unchanged = try await KnownDeletions.read(settings, bucket: nil)
            let error = #expect(throws: OperatorError.self) { try unchanged.require(for: backup([])) }
            #expect(error?.description.contains("There is no list of deletions") == true)
            try Data().write(to: URL(filePath: place.directory.path("data/happiness.sqlite.restore-under-way")))
            let again = try await KnownDeletions.read(settings, bucket: nil)
            #expect(again.all == [gone])
            try again.require(for: backup([gone]))
            try KnownDeletions.removeSaved(settings)
            #expect(try await KnownDeletions.read(settings, bucket: nil).all.isEmpty)
        }
    }

    @Test func `What is known without a list survives an interruption, and does not stand in for the list`()
        async throws
    {
        try await withPlace { place in
            let (listed, gone) = (deletion(9), deletion(1))
            let settings = try place.settings()
            // Of a restore that changed nothing, perhaps long ago.
            try place.write([listed], on: today)
            try await KnownDeletions.read(settings, bucket: nil).save(settings, secret: Self.secret, on: today)
            try FileManager.default.removeItem(atPath: place.folder)

            let stores = try settings.store.open()
            _ = try await stores.system.migrate()
            let secrets = Secrets(jwt: SymmetricKey(size: .bits256), ballot: Self.secret)
            try await secrets.matchFingerprints(in: stores.system)
            try await stores.remember([gone])
            try await stores.system.close()
            let known = try await KnownDeletions.read(settings, bucket: nil)
            #expect(known.all == [gone])
            #expect(throws: OperatorError.self) { try known.require(for: backup([])) }
            // With --without-deletions the restore begins, and is interrupted when that store is gone.
            try known.save(settings, secret: Self.secret, on: today)
            let store = place.directory.path("data/happiness.sqlite")
            try FileManager.default.removeItem(atPath: store)
            try Data().write(to: URL(filePath: "\(store).restore-under-way"))
            let again = try await KnownDeletions.read(settings, bucket: nil)
            #expect(again.all == [gone] && again.listed == nil)
            let error = #expect(throws: OperatorError.self) { try again.require(for: backup([])) }
            #expect(error?.description.contains("There is no list of deletions") == true)
            // Somebody has brought the list back.
            try place.write([listed], on: today)
            let both = try await KnownDeletions.read(settings, bucket: nil)
            #expect(both.hashes == [listed.hash, gone.hash])
            try both.require(for: backup([listed, gone]))
            try both.save(settings, secret: Self.secret, on: today)
            #expect(try await KnownDeletions.read(settings, bucket: nil).hashes == both.hashes)
            try KnownDeletions.removeSaved(settings)
            #expect(try await KnownDeletions.read(settings, bucket: nil).all == [listed])
        }
    }

    @Test func `Deletions in a store of another secret are not taken for known`() async throws {
        try await withPlace { place in
            let settings = try place.settings()
            let stores = try settings.store.open()
            _ = try await stores.system.migrate()
            let other = BallotSecret(key: SymmetricKey(size: .bits256))
            try await Secrets(jwt: SymmetricKey(size: .bits256), ballot: other).matchFingerprints(in: stores.system)
            try await stores.remember([Deletion(of: .account(.random()), on: today, secret: other)])
            try await stores.system.close()
            try place.write([], on: today)
            let known = try await KnownDeletions.read(settings, bucket: nil)
            #expect(known.all.isEmpty)
            let error = #expect(throws: OperatorError.self) { try known.require(for: backup([])) }
            #expect(error?.description.contains("recorded with another BALLOT_SECRET") == true)
        }
    }
}
