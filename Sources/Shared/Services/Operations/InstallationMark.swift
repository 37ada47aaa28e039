package import Domain
import Foundation
package import Ports

/// Says which installation a folder or bucket belongs to: it has a mark with the installation's id.
///
/// Two installations with one place for backups would take each other's backup of the day for theirs and make none, and
/// delete each other's old ones. With one place for pictures, each would delete those of the other, which belong to none
/// of its users.
package struct InstallationMark: Sendable {
    /// A file in a folder, and an object in a store of objects.
    package static let name = "installation-id"

    /// The same in all processes, and after a restore on another machine.
    private let id: String

    /// - Parameter secret: of the installation. The id reveals nothing about it.
    package init(secret: BallotSecret) {
        id = Array(SecureBytes.hmac(Data("owner of backups".utf8), key: secret.key).prefix(16)).hexadecimal
    }

    // MARK: - BACKUP_DIR

    /// Rejects the folder of another installation, and changes nothing. One without a mark may be anyone's, as are those
    /// of version 0.1.0.
    /// - Parameter folder: `BACKUP_DIR`
    /// - Throws: `OperatorError`.
    package func requireOwn(folder: String) throws {
        let file = "\(folder)/\(Self.name)"
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
        let file = "\(folder)/\(Self.name)"
        if FileManager.default.contents(atPath: file)?.isEmpty ?? true {
            try Data("\(id)\n".utf8).write(to: URL(filePath: file), options: .atomic)
        }
        try requireOwn(folder: folder)
    }

    // MARK: - BACKUP_BUCKET

    /// As `requireOwn(folder:)`, for `BACKUP_BUCKET`.
    /// - Throws: `OperatorError`, `ObjectStoreError`; `CancellationError`.
    package func requireOwn(bucket: any ObjectStore) async throws {
        guard try await isOther(bucket) else { return }
        throw OperatorError(
            "BACKUP_BUCKET names a bucket that has the backups of another installation. Set it to a bucket of this one "
                + "alone. If this installation made them with another BALLOT_SECRET, delete its object \(Self.name).")
    }

    /// Marks the bucket as this installation's.
    /// - Throws: as `requireOwn(bucket:)`.
    package func claim(bucket: any ObjectStore) async throws {
        try await set(in: bucket)
        try await requireOwn(bucket: bucket)
    }

    // MARK: - Pictures

    /// As `requireOwn(folder:)`, for the store of pictures: `S3_BUCKET`, or a folder in `DATA_DIR`.
    /// - Throws: `OperatorError`, `ObjectStoreError`; `CancellationError`.
    package func requireOwn(pictures: any ObjectStore) async throws {
        guard try await isOther(pictures) else { return }
        throw OperatorError(
            "S3_BUCKET, or the folder objects in DATA_DIR, has the pictures of another installation, and each would delete "
                + "those of the other. Use a bucket or folder of this one alone. If this installation stored them with "
                + "another BALLOT_SECRET, delete the object \(Self.name), in a folder the file \(Self.name),object.")
    }

    /// Marks the store of pictures as this installation's. One without a mark may be of version 0.1.0.
    /// - Throws: as `requireOwn(pictures:)`.
    package func claim(pictures: any ObjectStore) async throws {
        try await set(in: pictures)
        try await requireOwn(pictures: pictures)
    }

    // MARK: -

    private func set(in objects: any ObjectStore) async throws {
        let key = try Self.key()
        guard try await objects.get(key) == nil else { return }
        try await objects.put(StoredObject(mediaType: "text/plain", bytes: Array("\(id)\n".utf8)), at: key)
    }

    private func isOther(_ objects: any ObjectStore) async throws -> Bool {
        isOther(try await objects.get(Self.key())?.bytes ?? [])
    }

    private func isOther(_ mark: [UInt8]) -> Bool {
        let text = String(decoding: mark, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        return !text.isEmpty && text != id
    }

    private static func key() throws -> ObjectKey {
        guard let key = ObjectKey(name) else { throw OperatorError("No object can be named \(name).") }
        return key
    }
}
