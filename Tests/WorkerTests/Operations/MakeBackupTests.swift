import Domain
import Foundation
import Ports
import Services
import Storage
import TestSupport
import Testing

@testable import Worker

/// The job of the daily backup.
@Suite struct MakeBackupTests {
    /// A store with a folder and a bucket for its backups.
    private struct Place {
        let settings: Settings
        let backups: BackupSettings
        let stores: Stores
        let bucket: any ObjectStore
        let list: ObjectKey

        /// Where the list of deletions is in the folder.
        var file: URL { URL(filePath: DeletionCopies.file(in: backups.folder)) }
        var copies: BackupBucket { BackupBucket(objects: bucket, rule: backups.rule) }

        /// Makes the backup of a day.
        func run(at now: Date) async throws {
            let pictures = { (copies: any ObjectStore) in
                PictureBackup(stores: stores, pictures: .nowhere, copies: copies, key: backups.key)
            }
            let job = MakeBackup(
                mark: InstallationMark(secret: TestTeam.secret), folder: BackupFolder(backups),
                system: stores.system, location: settings.store,
                temporaries: TemporaryFolder.shared(dataDirectory: settings.dataDirectory),
                deletions: DeletionCopies(
                    store: stores.rows, secret: TestTeam.secret, folder: backups.folder, bucket: bucket),
                bucket: copies,
                folderPictures: pictures(ObjectStoreUnderTest.folder(backups.pictureFolder)),
                bucketPictures: pictures(bucket), clock: WallClock { now }, logger: .silent)
            try await job.run(JobContext(job: Job(kind: MakeBackup.kind, runAt: now), now: now))
        }
    }

    private func withPlace(_ body: (Place) async throws -> Void) async throws {
        try await TemporaryDirectory.with { directory in
            let settings = try Settings(values: [
                "DATA_DIR": directory.path("data"), "BACKUP_DIR": directory.path("backups"),
                "BACKUP_PUBLIC_KEY": BackupKey.makePair().publicText,
            ])
            let stores = try settings.store.open()
            let result: Result<Void, any Error>
            do {
                _ = try await stores.system.migrate()
                try await body(
                    Place(
                        settings: settings, backups: try #require(settings.backups), stores: stores,
                        bucket: ObjectStoreUnderTest.folder(directory.path("bucket")),
                        list: try #require(ObjectKey(DeletionList.name))))
                result = .success(())
            } catch {
                result = .failure(error)
            }
            try await stores.system.close()
            try result.get()
        }
    }

    @Test func `The list of deletions is written at full hours, and with each backup`() async throws {
        #expect(Schedule.workerWithBackups.entries.contains(.init(kind: CopyDeletions.kind, every: .hour)))
        try await withPlace { place in
            try await place.run(at: days[0])
            let gone = Deletion(
                of: .account(.random()), on: CalendarDay(instant: days[0], in: .gmt), secret: TestTeam.secret)
            try await place.stores.remember([gone])
            try await place.run(at: days[1])
            let list = try DeletionList(Array(Data(contentsOf: place.file)), secret: TestTeam.secret)
            #expect(list.days == [gone.hash: gone.day] && list.day == CalendarDay(instant: days[1], in: .gmt))
            #expect(try await place.bucket.get(place.list)?.bytes == list.encoded(secret: TestTeam.secret))
        }
    }

    private let days = (0..<3).map { testStart + Double($0) * 86_400 }

    @Test func `A damaged list in the bucket fails the job, after the backups were copied`() async throws {
        try await withPlace { place in
            try await place.run(at: days[0])
            let garbage = StoredObject(mediaType: "text/plain", bytes: Array("garbage".utf8))
            try await place.bucket.put(garbage, at: place.list)
            let error = await #expect(throws: OperatorError.self) { try await place.run(at: days[1]) }
            #expect(error?.description.contains("in BACKUP_BUCKET is damaged") == true)
            #expect(try await place.copies.list().count == 2)
            #expect(try await place.bucket.get(place.list)?.bytes == garbage.bytes)
            // What the message advises.
            try await place.bucket.delete(place.list)
            try await place.run(at: days[2])
            #expect(try await place.copies.list().count == 3)
            let bytes = try #require(try await place.bucket.get(place.list)).bytes
            _ = try DeletionList(bytes, secret: TestTeam.secret)
        }
    }

    @Test func `A damaged list in the folder fails the job, after the backup was made and copied`() async throws {
        try await withPlace { place in
            try await place.run(at: days[0])
            try Data("garbage".utf8).write(to: place.file)
            let gone = Deletion(
                of: .account(.random()), on: CalendarDay(instant: days[0], in: .gmt), secret: TestTeam.secret)
            try await place.stores.remember([gone])
            // Also when it is repeated.
            for _ in 0..<2 {
                let error = await #expect(throws: OperatorError.self) { try await place.run(at: days[1]) }
                #expect(error?.description.contains("in BACKUP_DIR is damaged") == true)
            }
            #expect(try BackupFolder(place.backups).list().count == 2)
            #expect(try await place.copies.list().count == 2)
            #expect(try Data(contentsOf: place.file) == Data("garbage".utf8))
            // The copy in the bucket comes with a list that knows what it knows.
            let bytes = try #require(try await place.bucket.get(place.list)).bytes
            #expect(try DeletionList(bytes, secret: TestTeam.secret).days == [gone.hash: gone.day])
        }
    }
}
