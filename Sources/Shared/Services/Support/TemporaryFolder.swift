import Foundation
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A folder of this process for files that must not outlive it, below a folder shared by all processes of the machine.
///
/// Each process locks its own folder while it runs. The lock ends with the process, so the next process to start can
/// distinguish the files of a killed process from those in use.
package final class TemporaryFolder: Sendable {
    /// Where it is. Only this user may read it.
    package let path: String
    /// Holds the lock.
    private let lock: SystemPackage.FileDescriptor

    /// Creates a folder, and removes those of ended processes.
    /// - Parameter shared: the shared folder, which is created if it is missing.
    /// - Throws: a file system error.
    package init(in shared: String) throws {
        // On a new machine there is no data folder yet.
        for folder in [URL(filePath: shared).deletingLastPathComponent().path, shared] {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        // Locked while folders are removed and created: a new folder without a lock looks like one of an ended process.
        let all = try Self.open(shared)
        defer { Self.close(all) }
        _ = flock(all.rawValue, LOCK_EX)
        try Self.removeEnded(in: shared)
        path = "\(shared)/\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        lock = try Self.open(path)
        _ = flock(lock.rawValue, LOCK_EX)
    }

    deinit {
        remove()
        Self.close(lock)
    }

    /// Removes it with everything in it.
    package func remove() {
        // If this fails, the next start removes it.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The shared folder for decrypted backups and other drafts of an installation. It is not where backups are kept,
    /// because that folder is copied to other places.
    package static func shared(dataDirectory: String) -> String { "\(dataDirectory)/temporary" }

    /// Removes the folders of ended processes in the shared folder of an installation; creates nothing. Call it when a
    /// process starts.
    /// - Throws: `OperatorError` if the file system rejects.
    package static func sweep(dataDirectory: String) throws {
        let shared = shared(dataDirectory: dataDirectory)
        guard FileManager.default.fileExists(atPath: shared) else { return }
        try OperatorMessage.writing(to: dataDirectory, setting: "DATA_DIR") {
            let all = try open(shared)
            defer { close(all) }
            _ = flock(all.rawValue, LOCK_EX)
            try removeEnded(in: shared)
        }
    }

    private static func removeEnded(in shared: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: shared) {
            let path = "\(shared)/\(name)"
            let folder = try open(path)
            defer { close(folder) }
            if flock(folder.rawValue, LOCK_EX | LOCK_NB) == 0 { try FileManager.default.removeItem(atPath: path) }
        }
    }

    /// Opened with close-on-exec: a child process would inherit the lock.
    private static func open(_ path: String) throws -> SystemPackage.FileDescriptor {
        try SystemPackage.FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec, .directory])
    }

    private static func close(_ descriptor: SystemPackage.FileDescriptor) {
        // Nothing was written to it, so an error loses nothing.
        _ = Glibc.close(descriptor.rawValue)
    }
}
