import Crypto
package import Domain
import Foundation
package import Logging
package import Ports
package import Storage

/// The folder with the daily backups: `BACKUP_DIR`.
package struct BackupFolder: Sendable {
    /// A backup in the folder.
    package struct Entry: Hashable, Sendable {
        /// The day in UTC on which it was made.
        package let day: CalendarDay
        /// Where it is.
        package let path: String
        /// In bytes.
        package let size: Int
        /// Whether it was encrypted to `BACKUP_PUBLIC_KEY`.
        package let isEncrypted: Bool
    }

    /// `Job.kind` of the job that makes the backup of a day.
    package static let jobKind = "makeBackup"

    /// Where the backups are.
    package let path: String
    private let rule: BackupRule
    /// Backups are encrypted to it; `nil` leaves them as they are.
    private let key: Curve25519.KeyAgreement.PublicKey?

    private static var name: Regex<(Substring, Substring, Substring)> {
        /happiness-(\d{4}-\d\d-\d\d)\.(backup|encrypted)/
    }

    /// - Parameter settings: of the daily backups.
    package init(_ settings: BackupSettings) {
        path = settings.folder
        rule = settings.rule
        key = settings.key
    }

    /// The backups, the oldest first. Other files are left out.
    /// - Throws: an error of the file system.
    package func list() throws -> [Entry] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: path).compactMap { name in
            guard let match = name.wholeMatch(of: Self.name), let day = CalendarDay(String(match.1)) else { return nil }
            let file = "\(path)/\(name)"
            let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? NSNumber
            return Entry(day: day, path: file, size: size?.intValue ?? 0, isEncrypted: match.2 == "encrypted")
        }.sorted { ($0.day, $0.path) < ($1.day, $1.path) }
    }

    /// Makes the backup of a day, proves it by restoring it into a scratch store, and deletes those that the rule does
    /// not keep. Does nothing if there is one of that day.
    ///
    /// The scratch store and the file before its encryption are temporary files, and are removed.
    /// - Parameters:
    ///   - temporaries: see `TemporaryFolder.shared`.
    ///   - prepare: called when the backup has its content, and before it counts.
    /// - Throws: what `prepare` and the store throw, `OperatorError`, or an error of the file system; then nothing was
    ///   deleted.
    package func make(
        on day: CalendarDay, of system: any SystemStore, at location: StoreLocation, temporaries: String,
        logger: Logger, prepare: () async throws -> Void = {}
    ) async throws {
        guard try !list().contains(where: { $0.day == day }) else { return }
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        // The worker may have been killed while it made one.
        for name in try FileManager.default.contentsOfDirectory(atPath: path) where name.hasPrefix(Self.draftPrefix) {
            try FileManager.default.removeItem(atPath: "\(path)/\(name)")
        }
        let temporary = try makeTemporaryFolder(in: temporaries)
        defer { temporary.remove() }
        let plain = "\(temporary.path)/backup"
        try await system.backUp(to: plain)
        let records = try await location.verify(plain, in: temporary.path)
        // Here, so that it gets its name in one step.
        let draft = "\(path)/\(Self.draftPrefix)\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: draft) }
        if let key {
            try EncryptedBackup.encrypt(plain, into: draft, for: key)
        } else {
            let target = try FileHandle.creating(draft)
            defer { try? target.close() }
            try target.write(contentsOfFile: plain)
            try target.synchronize()
        }
        try await prepare()
        let file = "\(path)/happiness-\(day).\(key == nil ? "backup" : "encrypted")"
        try FileManager.default.moveItem(atPath: draft, toPath: file)
        logger.notice("Made a backup", metadata: ["file": "\(file)", "records": "\(records)"])
        try deleteExpired()
    }

    /// - Throws: `OperatorError` that does not blame the folder of the backups.
    private func makeTemporaryFolder(in temporaries: String) throws -> TemporaryFolder {
        do {
            return try TemporaryFolder(in: temporaries)
        } catch {
            throw OperatorError(
                "Drafts cannot be written to \(temporaries), in DATA_DIR. \(OperatorMessage.text(for: error))")
        }
    }

    private func deleteExpired() throws {
        let entries = try list()
        let kept = rule.kept(of: entries.map(\.day))
        for entry in entries where !kept.contains(entry.day) {
            try FileManager.default.removeItem(atPath: entry.path)
        }
    }

    private static let draftPrefix = ".draft-"
}
