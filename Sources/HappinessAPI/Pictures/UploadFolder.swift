import Foundation
import Logging
import NIOCore
import NIOPosix
import Services
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Stores uploads while they arrive, in a folder per process below a folder shared by all processes of the machine.
///
/// Each process locks its own folder while it runs. The lock ends with the process, so the next process to start can
/// distinguish the files of a killed process from uploads in progress.
final class UploadFolder: Sendable {
    private let path: String
    /// Holds the lock.
    private let lock: SystemPackage.FileDescriptor
    private let logger: Logger

    /// Creates this process's folder, and removes those of ended processes.
    /// - Parameters:
    ///   - dataDirectory: contains the shared folder; both are created if missing.
    ///   - logger: logs when the disk is full.
    /// - Throws: a file system error.
    init(dataDirectory: String, logger: Logger) throws {
        self.logger = logger
        let shared = "\(dataDirectory)/uploads"
        try FileManager.default.createDirectory(
            atPath: shared, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        // Locked while folders are removed and created: a new folder without a lock looks like one of an ended process.
        let all = try Self.open(shared)
        defer { Self.close(all) }
        _ = flock(all.rawValue, LOCK_EX)
        try Self.sweep(shared)
        path = "\(shared)/\(Identifier<UploadFolder>.random())"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        lock = try Self.open(path)
        _ = flock(lock.rawValue, LOCK_EX)
    }

    deinit {
        // It is empty now. If removing it fails, the next start removes it.
        rmdir(path)
        Self.close(lock)
    }

    /// Creates an empty file for `body` and always removes it afterwards.
    /// - Throws: what `body` throws; `AppError.unavailable` if the disk is full; another file system error.
    func withFile<Value>(_ body: (UploadFile) async throws -> Value) async throws -> Value {
        do {
            let file = try await UploadFile.make(path: "\(path)/\(Identifier<UploadFile>.random())")
            let result: Result<Value, any Error>
            do {
                result = .success(try await body(file))
            } catch {
                result = .failure(error)
            }
            try await file.remove()
            return try result.get()
        } catch Errno.noSpace, Errno.diskQuotaExceeded {
            logger.error("There is no room for uploads on the disk of DATA_DIR")
            throw AppError.picturesUnavailable
        }
    }

    private static func sweep(_ shared: String) throws {
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

/// A file for one upload. Reads and writes run on threads that may block.
struct UploadFile: Sendable {
    let path: String
    private let descriptor: SystemPackage.FileDescriptor

    /// - Throws: a file system error.
    fileprivate static func make(path: String) async throws -> UploadFile {
        try await NIOThreadPool.singleton.runIfActive {
            let descriptor = try SystemPackage.FileDescriptor.open(
                FilePath(path), .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
                permissions: .ownerReadWrite)
            return UploadFile(path: path, descriptor: descriptor)
        }
    }

    /// Appends bytes.
    /// - Throws: a file system error.
    func write(_ bytes: ByteBuffer) async throws {
        try await NIOThreadPool.singleton.runIfActive {
            _ = try bytes.withUnsafeReadableBytes { try descriptor.writeAll($0) }
        }
    }

    /// In a separate task, since the thread pool runs nothing for a cancelled one.
    fileprivate func remove() async throws {
        try await Task {
            try await NIOThreadPool.singleton.runIfActive {
                try descriptor.closeAfter { _ = unlink(path) }
            }
        }.value
    }
}
