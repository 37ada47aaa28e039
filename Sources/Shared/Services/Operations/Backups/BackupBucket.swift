import Crypto
package import Domain
import Foundation
package import Ports

/// Copies of the encrypted backups in a bucket: `BACKUP_BUCKET`.
///
/// A copy consists of parts, since an object is read and written as a whole. Their keys contain the SHA-256 of the file,
/// so an interrupted upload resumes with the missing parts, and two workers cannot mix their files. The last
/// object is empty and names the file's size. A copy counts only while its parts have that size:
///
///     backups/2026-11-21/9f86d081…/000001
///     backups/2026-11-21/9f86d081…/000002
///     backups/2026-11-21/9f86d081…/complete-8123456
package struct BackupBucket: Sendable {
    /// A complete copy.
    package struct Entry: Hashable, Sendable {
        /// The day in UTC on which the backup was made.
        package let day: CalendarDay
        /// In bytes.
        package let size: Int
    }

    /// Bytes. An object store reads objects of up to 8 MiB.
    static let partLength = 4 << 20
    private static let prefix = "backups/"
    private static let mostParts = 999_999

    private let objects: any ObjectStore
    private let rule: BackupRule

    /// - Parameters:
    ///   - objects: the bucket.
    ///   - rule: which backups are kept in it. It is applied to those in the bucket: a new server with an empty folder
    ///     does not delete the old ones at once.
    package init(objects: any ObjectStore, rule: BackupRule) {
        self.objects = objects
        self.rule = rule
    }

    /// Marks the bucket as that of an installation.
    /// - Throws: as `InstallationMark.claim`.
    package func claim(with mark: InstallationMark) async throws {
        try await mark.claim(bucket: objects)
    }

    /// The complete copies, the oldest first.
    /// - Throws: `ObjectStoreError`; `CancellationError`.
    package func list() async throws -> [Entry] {
        try await copies().compactMap(\.entry)
    }

    /// Copies the encrypted backups of a folder that the bucket lacks, and deletes those that the rule does not keep.
    /// - Parameter folder: what `BackupFolder.list` returned.
    /// - Throws: `ObjectStoreError`; `CancellationError`; `OperatorError` for a file that is too large; an error of the
    ///   file system. What was done so far stays, and the next update resumes.
    package func update(from folder: [BackupFolder.Entry]) async throws -> CopyChanges {
        var changes = CopyChanges()
        let before = try await copies()
        let present = Set(before.compactMap(\.entry?.day))
        let kept = rule.kept(of: present.union(folder.map(\.day)))
        // The latest first: it is worth most.
        for backup in folder.reversed()
        where backup.isEncrypted && kept.contains(backup.day) && !present.contains(backup.day) {
            try await upload(backup, beside: before)
            changes.added += 1
        }
        changes.removed = try await deleteExpired()
        return changes
    }

    /// Downloads the backup of a day into a new file that only its owner may read.
    /// - Throws: `OperatorError` if there is none, if it is damaged, or if the file exists or cannot be written;
    ///   `ObjectStoreError`; an error of the file system. Then there is no new file.
    package func download(_ day: CalendarDay, to file: String) async throws {
        guard !FileManager.default.fileExists(atPath: file) else { throw OperatorError("\(file) exists already.") }
        let folder = URL(filePath: file).deletingLastPathComponent().path
        guard FileManager.default.isWritableFile(atPath: folder) else {
            throw OperatorError("\(file) cannot be written: the folder is missing, or this user may not write there.")
        }
        let copies = try await copies().filter { $0.entry?.day == day }
        guard !copies.isEmpty else {
            throw OperatorError("The bucket has no backup of \(day). `HappinessAPI backups list` shows which it has.")
        }
        let draft = "\(file).\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: draft) }
        // Two workers may have made one each.
        for copy in copies {
            guard try await download(copy, to: draft) else { continue }
            return try FileManager.default.moveItem(atPath: draft, toPath: file)
        }
        throw OperatorError("The backup of \(day) in the bucket is damaged. Please take the one of another day.")
    }

    /// Returns whether the copy is sound.
    private func download(_ copy: Copy, to file: String) async throws -> Bool {
        let target = try FileHandle.creating(file)
        defer { try? target.close() }
        var hash = SHA256()
        for part in copy.parts {
            // A missing part shows in the hash.
            let bytes = try await objects.get(part.key)?.bytes ?? []
            hash.update(data: bytes)
            try target.write(contentsOf: bytes)
        }
        try target.synchronize()
        return hash.finalize().hexadecimal == copy.hash
    }

    private func upload(_ backup: BackupFolder.Entry, beside copies: [Copy]) async throws {
        let hash = try Self.hash(of: backup.path)
        // What is there with this key and size is the part: the key contains the hash of the file.
        let copy = copies.first { $0.day == backup.day && $0.hash == hash }
        let sizes = Dictionary(uniqueKeysWithValues: (copy?.parts ?? []).map { ($0.key, $0.size) })
        let source = try FileHandle(forReadingFrom: URL(filePath: backup.path))
        defer { try? source.close() }
        var number = 1
        while let bytes = try source.read(upToCount: Self.partLength), !bytes.isEmpty {
            guard number <= Self.mostParts else {
                throw OperatorError("\(backup.path) is too large for the bucket.")
            }
            let key = try Self.key(backup.day, hash, String(format: "%06d", number))
            if sizes[key] != bytes.count {
                try await objects.put(
                    StoredObject(mediaType: "application/octet-stream", bytes: Array(bytes)), at: key)
            }
            number += 1
        }
        let copied = try await objects.listAll(prefix: "\(Self.prefix)\(backup.day)/\(hash)/")
        // Another worker may have deleted some.
        guard copied.reduce(0, { $0 + $1.size }) == backup.size else {
            throw ObjectStoreError.unavailable("The bucket lacks a part of the backup of \(backup.day)")
        }
        try await objects.put(
            StoredObject(mediaType: "text/plain", bytes: []), at: Self.key(backup.day, hash, "complete-\(backup.size)"))
    }

    /// Incomplete copies go once there is a complete one of a later day. Until then a worker may be writing them.
    private func deleteExpired() async throws -> Int {
        let copies = try await copies()
        let days = copies.compactMap(\.entry?.day)
        let kept = rule.kept(of: days)
        let expired = copies.filter { copy in
            copy.entry == nil ? days.contains { $0 > copy.day } : !kept.contains(copy.day)
        }
        for copy in expired {
            for object in copy.marks + copy.parts.map(\.key) { try await objects.delete(object) }
        }
        return expired.count
    }

    private static func hash(of file: String) throws -> String {
        let source = try FileHandle(forReadingFrom: URL(filePath: file))
        defer { try? source.close() }
        var hash = SHA256()
        while let bytes = try source.read(upToCount: partLength), !bytes.isEmpty { hash.update(data: bytes) }
        return hash.finalize().hexadecimal
    }
}

extension BackupBucket {
    /// The objects of one file, all or some of them.
    private struct Copy {
        let day: CalendarDay
        let hash: String
        /// In their order.
        var parts: [ObjectListing] = []
        /// The last object, or none.
        var marks: [ObjectKey] = []

        /// `nil` unless the copy is complete.
        var entry: Entry? {
            let size = parts.reduce(0) { $0 + $1.size }
            return marks.contains { $0.text.hasSuffix("/complete-\(size)") } ? Entry(day: day, size: size) : nil
        }
    }

    /// In the order of days. Objects with other names are left out.
    private func copies() async throws -> [Copy] {
        var copies: [Copy] = []
        for object in try await objects.listAll(prefix: Self.prefix) {
            let name = object.key.text.dropFirst(Self.prefix.count)
            guard let match = name.wholeMatch(of: /([0-9-]{10})\/([0-9a-f]{64})\/([0-9]{6}|complete-[0-9]+)/),
                let day = CalendarDay(String(match.1))
            else { continue }
            // The list is in order, so the objects of a copy follow each other.
            if copies.last?.day != day || copies.last?.hash != String(match.2) {
                copies.append(Copy(day: day, hash: String(match.2)))
            }
            if match.3.hasPrefix("complete") {
                copies[copies.count - 1].marks.append(object.key)
            } else {
                copies[copies.count - 1].parts.append(object)
            }
        }
        return copies
    }

    private static func key(_ day: CalendarDay, _ hash: String, _ name: String) throws -> ObjectKey {
        guard let key = ObjectKey("\(prefix)\(day)/\(hash)/\(name)") else {
            throw OperatorError("The backup of \(day) has a name that no object can have.")
        }
        return key
    }
}
