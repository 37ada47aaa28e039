import Foundation

/// The installation whose backups are in a folder or bucket, which has a mark with its id.
///
/// Two installations would take each other's backup of the day for theirs and make none, and delete each other's old
/// ones.
package struct BackupOwner: Sendable {
    /// The mark: a file in the folder, and an object in the bucket.
    package static let mark = "installation-id"

    /// The same in all processes, and after a restore on another machine.
    private let id: String

    /// - Parameter secret: of the installation. The id reveals nothing about it.
    package init(secret: BallotSecret) {
        id = Array(SecureBytes.hmac(Data("owner of backups".utf8), key: secret.key).prefix(16)).hexadecimal
    }

    /// Refuses the folder of another installation, and changes nothing. One without a mark may be anybody's, as are those
    /// of version 0.1.0.
    /// - Parameter folder: `BACKUP_DIR`
    /// - Throws: `OperatorError`.
    package func requireOwn(folder: String) throws {
        let file = "\(folder)/\(Self.mark)"
        // Whether the folder can be read at all shows when the backup is made.
        guard isOther(Array(FileManager.default.contents(atPath: file) ?? Data())) else { return }
        throw OperatorError(
            "BACKUP_DIR is \(folder), which has the backups of another installation. Set it to a folder of this one alone. "
                + "If this installation made them with another BALLOT_SECRET, delete \(file).")
    }

    /// Marks the folder as this installation's. Creates it if there is none.
    /// - Throws: as `requireOwn`; an error of the file system.
    package func claim(folder: String) throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let file = "\(folder)/\(Self.mark)"
        if FileManager.default.contents(atPath: file)?.isEmpty ?? true {
            try Data("\(id)\n".utf8).write(to: URL(filePath: file), options: .atomic)
        }
        try requireOwn(folder: folder)
    }

    /// As `requireOwn(folder:)`, for `BACKUP_BUCKET`.
    /// - Throws: `OperatorError`, `ObjectStoreError`; `CancellationError`.
    package func requireOwn(bucket: any ObjectStore) async throws {
        guard let mark = try await bucket.get(Self.key())?.bytes, isOther(mark) else { return }
        throw OperatorError(
            "BACKUP_BUCKET names a bucket that has the backups of another installation. Set it to a bucket of this one "
                + "alone. If this installation made them with another BALLOT_SECRET, delete its object \(Self.mark).")
    }

    /// As `requireOwn(bucket:)` when a program starts. A bucket that is away is checked by the job.
    /// - Throws: `OperatorError`, `ObjectStoreError.misconfigured`, `CancellationError`.
    package func requireOwnAtStart(bucket: any ObjectStore) async throws {
        do {
            let late = ObjectStoreError.unavailable("no answer")
            try await withDeadline(.seconds(10), orThrow: late) { try await requireOwn(bucket: bucket) }
        } catch ObjectStoreError.unavailable(_) {
            // The log says so already: see `ObjectStore.checkAtStart`.
        }
    }

    /// Marks the bucket as this installation's.
    /// - Throws: as `requireOwn(bucket:)`.
    package func claim(bucket: any ObjectStore) async throws {
        let key = try Self.key()
        if try await bucket.get(key) == nil {
            try await bucket.put(StoredObject(mediaType: "text/plain", bytes: Array("\(id)\n".utf8)), at: key)
        }
        try await requireOwn(bucket: bucket)
    }

    private func isOther(_ mark: [UInt8]) -> Bool {
        let text = String(decoding: mark, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        return !text.isEmpty && text != id
    }

    private static func key() throws -> ObjectKey {
        guard let key = ObjectKey(mark) else { throw OperatorError("No object can be named \(mark).") }
        return key
    }
}
