import Crypto
import Foundation

/// Copies of the encrypted backups in a bucket: `BACKUP_BUCKET`.
///
/// A copy consists of parts, since an object is read and written as a whole. Their keys contain the SHA-256 of the file,
/// so an interrupted upload goes on with the parts that are missing, and two workers cannot mix their files. The last
/// object says that all others are there:
///
///     backups/2026-11-21/9f86d081…/000001
///     backups/2026-11-21/9f86d081…/000002
///     backups/2026-11-21/9f86d081…/complete
package struct BackupBucket: Sendable {
    /// A complete copy.
    package struct Entry: Hashable, Sendable {
        /// The day in UTC on which the backup was made.
        package let day: CalendarDay
        /// In bytes.
        package let size: Int
        /// Of the file, as 64 hexadecimal digits.
        fileprivate let hash: String
    }

    /// What an update did.
    package struct Changes: Hashable, Sendable {
        /// Backups copied to the bucket.
        package var added = 0
        /// Backups deleted from it, complete or not.
        package var removed = 0

        /// Whether there were none.
        package var isEmpty: Bool { self == Changes() }
    }

    /// Bytes. An object store reads objects of up to 8 MiB.
    static let partLength = 4 << 20
    private static let prefix = "backups/"
    private static let completeName = "complete"

    private let objects: any ObjectStore
    private let rule: BackupRule

    /// - Parameters:
    ///   - objects: the bucket.
    ///   - rule: which backups are kept in it. It is applied to those in the bucket, so a new server with an empty folder
    ///     deletes none of the old ones at once.
    package init(objects: any ObjectStore, rule: BackupRule) {
        self.objects = objects
        self.rule = rule
    }

    /// The complete copies, the oldest first.
    /// - Throws: `ObjectStoreError`; `CancellationError`.
    package func list() async throws -> [Entry] {
        try await copies().compactMap(\.entry)
    }

    /// Copies the encrypted backups of a folder that the bucket lacks, and deletes those that the rule does not keep.
    /// - Parameter folder: what `BackupFolder.list` returned.
    /// - Throws: `ObjectStoreError`; `CancellationError`; an error of the file system. What was done so far stays, and the
    ///   next update goes on with it.
    package func update(from folder: [BackupFolder.Entry]) async throws -> Changes {
        var changes = Changes()
        let before = try await copies()
        let present = Set(before.compactMap(\.entry?.day))
        let kept = rule.kept(of: present.union(folder.map(\.day)))
        for backup in folder where backup.isEncrypted && kept.contains(backup.day) && !present.contains(backup.day) {
            try await upload(backup, beside: before)
            changes.added += 1
        }
        changes.removed = try await deleteExpired()
        return changes
    }

    /// Downloads the backup of a day into a new file that only its owner may read.
    /// - Throws: `OperatorError` if there is none, if it is damaged, or if the file exists; `ObjectStoreError`; an error of
    ///   the file system. Then there is no new file.
    package func download(_ day: CalendarDay, to file: String) async throws {
        guard !FileManager.default.fileExists(atPath: file) else { throw OperatorError("\(file) exists already.") }
        guard let copy = try await copies().last(where: { $0.entry?.day == day }) else {
            throw OperatorError("The bucket has no backup of \(day). `HappinessAPI backups list` shows which it has.")
        }
        let draft = "\(file).\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: draft) }
        let target = try FileHandle.creating(draft)
        defer { try? target.close() }
        var hash = SHA256()
        for part in copy.parts {
            // A missing part shows in the hash.
            let bytes = try await objects.get(part.key)?.bytes ?? []
            hash.update(data: bytes)
            try target.write(contentsOf: bytes)
        }
        guard Data(hash.finalize()).hexadecimal == copy.hash else {
            throw OperatorError("The backup of \(day) in the bucket is damaged. Please take the one of another day.")
        }
        try target.synchronize()
        try FileManager.default.moveItem(atPath: draft, toPath: file)
    }

    private func upload(_ backup: BackupFolder.Entry, beside copies: [Copy]) async throws {
        let hash = try Self.hash(of: backup.path)
        // A part is the same if it is there at all: its key contains the hash of the file.
        let present = Set(copies.first { $0.day == backup.day && $0.hash == hash }?.parts.map(\.key) ?? [])
        let source = try FileHandle(forReadingFrom: URL(filePath: backup.path))
        defer { try? source.close() }
        var number = 1
        while let bytes = try source.read(upToCount: Self.partLength), !bytes.isEmpty {
            let key = try Self.key(backup.day, hash, String(format: "%06d", number))
            if !present.contains(key) {
                try await objects.put(
                    StoredObject(mediaType: "application/octet-stream", bytes: Array(bytes)), at: key)
            }
            number += 1
        }
        let copied = try await objects.listAll(prefix: "\(Self.prefix)\(backup.day)/\(hash)/")
        guard copied.reduce(0, { $0 + $1.size }) == backup.size else {
            throw ObjectStoreError.unavailable("The bucket lacks a part of the backup of \(backup.day)")
        }
        try await objects.put(
            StoredObject(mediaType: "text/plain", bytes: []), at: Self.key(backup.day, hash, Self.completeName))
    }

    /// Incomplete copies go once there is a complete one of a later day. Until then a worker may be writing them.
    private func deleteExpired() async throws -> Int {
        let copies = try await copies()
        let days = copies.compactMap(\.entry?.day)
        let kept = rule.kept(of: days)
        let expired = copies.filter { copy in
            copy.isComplete ? !kept.contains(copy.day) : days.contains { $0 > copy.day }
        }
        for copy in expired {
            // First, so that a copy is never taken for complete while its parts are deleted.
            try await objects.delete(Self.key(copy.day, copy.hash, Self.completeName))
            for part in copy.parts { try await objects.delete(part.key) }
        }
        return expired.count
    }

    private static func hash(of file: String) throws -> String {
        let source = try FileHandle(forReadingFrom: URL(filePath: file))
        defer { try? source.close() }
        var hash = SHA256()
        while let bytes = try source.read(upToCount: partLength), !bytes.isEmpty { hash.update(data: bytes) }
        return Data(hash.finalize()).hexadecimal
    }
}

extension BackupBucket {
    /// The objects of one file, all or some of them.
    private struct Copy {
        let day: CalendarDay
        let hash: String
        /// In their order.
        var parts: [ObjectListing] = []
        var isComplete = false

        var entry: Entry? {
            isComplete ? Entry(day: day, size: parts.reduce(0) { $0 + $1.size }, hash: hash) : nil
        }
    }

    /// In the order of days. Objects with other names are left out.
    private func copies() async throws -> [Copy] {
        var copies: [Copy] = []
        for object in try await objects.listAll(prefix: Self.prefix) {
            let name = object.key.text.dropFirst(Self.prefix.count)
            guard let match = name.wholeMatch(of: /([0-9-]{10})\/([0-9a-f]{64})\/([0-9]{6}|complete)/),
                let day = CalendarDay(String(match.1))
            else { continue }
            // The list is in order, so the objects of a copy follow each other.
            if copies.last?.day != day || copies.last?.hash != String(match.2) {
                copies.append(Copy(day: day, hash: String(match.2)))
            }
            if match.3 == Self.completeName {
                copies[copies.count - 1].isComplete = true
            } else {
                copies[copies.count - 1].parts.append(object)
            }
        }
        return copies
    }

    private static func key(_ day: CalendarDay, _ hash: String, _ name: String) throws -> ObjectKey {
        guard let key = ObjectKey("\(prefix)\(day)/\(hash)/\(name)") else {
            throw OperatorError("The backup of \(day) is too large for a bucket.")
        }
        return key
    }
}
