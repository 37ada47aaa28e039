package import Domain
import Foundation
import Glibc
package import Ports
package import Storage

/// Keeps the list of deletions beside the backups: a file in `BACKUP_DIR`, and an object in `BACKUP_BUCKET`.
///
/// The store has every deletion from the transaction that deleted, so what could not be written yet is written later.
/// What a list has and the store lacks stays in the list: the store may be a new one, before it is restored.
package struct DeletionCopies: Sendable {
    private let store: any Store
    private let secret: BallotSecret
    private let mark: InstallationMark
    private let folder: String
    private let bucket: (any ObjectStore)?

    /// - Parameters:
    ///   - folder: `BACKUP_DIR`
    ///   - bucket: `BACKUP_BUCKET`, if it is set.
    package init(
        store: any Store, secret: BallotSecret, folder: String, bucket: (any ObjectStore)? = nil
    ) {
        self.store = store
        self.secret = secret
        mark = InstallationMark(secret: secret)
        self.folder = folder
        self.bucket = bucket
    }

    /// Writes the lists, each even if the other one cannot be written, and also if nothing has changed: otherwise the
    /// time of file and object would say when somebody left. So call it only at times that do not depend on deletions.
    /// - Parameters:
    ///   - day: the present one in UTC.
    ///   - oldestBackup: its day. Older deletions are forgotten, in the store too; `nil` forgets none.
    /// - Throws: `OperatorError` if folder or bucket is another installation's, or if a list is damaged: it must not be
    ///   replaced unseen, since it may have had what the store lacks. `ObjectStoreError`; `StorageError`; an error of
    ///   the file system.
    package func update(on day: CalendarDay, oldestBackup: CalendarDay? = nil) async throws {
        var since: CalendarDay?
        var failures: [any Error] = []
        do {
            since = try await updateFolder(on: day, oldestBackup: oldestBackup)
        } catch {
            failures.append(error)
        }
        do {
            try await updateBucket(on: day, since: since, oldestBackup: oldestBackup)
        } catch {
            failures.append(error)
        }
        if let first = failures.first { throw first }
    }

    private func updateBucket(on day: CalendarDay, since: CalendarDay?, oldestBackup: CalendarDay?) async throws {
        guard let bucket else { return }
        try await mark.claim(bucket: bucket)
        let key = try Self.key()
        let present = try await bucket.get(key)?.bytes
        // What the folder has forgotten while the bucket was away does not come back from there.
        let list = try await list(
            continuing: present, on: day, since: since, oldestBackup: oldestBackup, place: "in BACKUP_BUCKET")
        try await bucket.put(StoredObject(mediaType: "text/plain", bytes: list.encoded(secret: secret)), at: key)
    }

    /// Does this in the folder alone.
    /// - Returns: the first day that the list covers; `nil` if nothing was forgotten yet.
    /// - Throws: as `update`.
    @discardableResult
    package func updateFolder(on day: CalendarDay, oldestBackup: CalendarDay? = nil) async throws -> CalendarDay? {
        try mark.claim(folder: folder)
        let present = try Self.read(Self.file(in: folder))
        let list = try await list(
            continuing: present, on: day, since: nil, oldestBackup: oldestBackup, place: "in BACKUP_DIR")
        try Self.write(list.encoded(secret: secret), to: Self.file(in: folder))
        return list.since
    }

    /// The list to write, with what the store and the present list have. The store gets what it lacks, for the other
    /// place. A deletion that is new to the list and older than its first day gets the present day in both.
    /// - Parameter since: the first day of the other list, if that has been written.
    private func list(
        continuing present: [UInt8]?, on day: CalendarDay, since: CalendarDay?, oldestBackup: CalendarDay?,
        place: String
    ) async throws -> DeletionList {
        var list = DeletionList(days: [:], day: day)
        do {
            if let present { list = try DeletionList(present, secret: secret) }
        } catch {
            throw OperatorError(
                "The list of deletions \(place) is damaged, or was written with another BALLOT_SECRET. Find out why, "
                    + "and remove `\(DeletionList.name)` there. The worker then writes it anew, from the store.")
        }
        list.day = day
        // The clock that dated a deletion may have been behind the one that dated the backup.
        list.since = [list.since, since, oldestBackup?.adding(days: -1)].compactMap(\.self).max()
        var (dated, forgotten): ([Deletion], [Deletion]) = ([], [])
        let stored = try await store.read { try $0.deletions() }
        for deletion in stored {
            let listed = list.days[deletion.hash]
            if let since = list.since, deletion.day < since {
                if let listed, listed < since {
                    forgotten.append(deletion)
                } else {
                    // The list has never had it, or not with this day: somebody was deleted while the clock was weeks
                    // behind, and every backup may have them.
                    let first = Deletion(hash: deletion.hash, day: listed ?? max(day, since))
                    dated.append(first)
                    list.days[first.hash] = first.day
                }
            } else {
                list.days[deletion.hash] = deletion.day
            }
        }
        if let since = list.since { list.days = list.days.filter { $0.value >= since } }
        let known = Set(stored.map(\.hash))
        let missing = list.days.filter { !known.contains($0.key) }.map { Deletion(hash: $0.key, day: $0.value) }
        if !dated.isEmpty || !missing.isEmpty {
            try await store.write { [dated] rows in try rows.remember(dated + missing) }
        }
        // One by one, not all before a day: what was added in the meantime may have a wrong day, too.
        if !forgotten.isEmpty { try await store.write { [forgotten] rows in try rows.forget(forgotten) } }
        return list
    }

    /// Where the list is in a folder with backups.
    package static func file(in folder: String) -> String { "\(folder)/\(DeletionList.name)" }

    /// Where the list is in a bucket with copies of backups.
    static func key() throws -> ObjectKey {
        guard let key = ObjectKey(DeletionList.name) else {
            throw OperatorError("No object can be named \(DeletionList.name).")
        }
        return key
    }

    /// The content of a file; `nil` if there is none.
    /// - Throws: an error of the file system: a file that cannot be read may have the list.
    static func read(_ file: String) throws -> [UInt8]? {
        guard FileManager.default.fileExists(atPath: file) else { return nil }
        return Array(try Data(contentsOf: URL(filePath: file)))
    }

    /// Replaces a file in one step, and waits until it is on disk.
    /// - Throws: `OperatorError` or an error of the file system. Then the old file is still there.
    static func write(_ bytes: [UInt8], to file: String) throws {
        let folder = URL(filePath: file).deletingLastPathComponent().path
        let draft = "\(folder)/.\(DeletionList.name)-\(UUID().uuidString)"
        defer { unlink(draft) }
        let target = try FileHandle.creating(draft)
        defer { try? target.close() }
        try target.write(contentsOf: Data(bytes))
        try target.synchronize()
        guard rename(draft, file) == 0 else {
            throw OperatorError("\(file) cannot be written: \(String(cString: strerror(errno)))")
        }
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw OperatorError("\(folder): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw OperatorError("\(folder): \(String(cString: strerror(errno)))") }
    }
}
