import Foundation
import Logging
import NIOCore
import NIOPosix
import Shared
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Where uploads are kept while they arrive: a folder of this process, below the one that all processes of the machine
/// share.
///
/// Each process locks its own folder for as long as it lives, however it ends, so that the next one to start can tell
/// what a killed one has left from what another one is receiving.
final class UploadFolder: Sendable {
    private let path: String
    /// Keeps the lock.
    private let lock: SystemPackage.FileDescriptor
    private let logger: Logger

    /// Makes this process's folder, and removes those of processes that are no more.
    /// - Parameters:
    ///   - dataDirectory: holds the shared folder; both are made if they are missing.
    ///   - logger: told when the disk is full.
    /// - Throws: an error of the file system.
    init(dataDirectory: String, logger: Logger) throws {
        self.logger = logger
        let shared = "\(dataDirectory)/uploads"
        try FileManager.default.createDirectory(
            atPath: shared, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        // Held while folders are swept and made: between its making and its lock, a folder looks like one left behind.
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
        // Nothing is in it any more. Should that fail, the next start sweeps it.
        rmdir(path)
        Self.close(lock)
    }

    /// Lends a new, empty file, and removes it, whatever happens.
    /// - Throws: what `body` throws; `AppError.unavailable` if the disk is full; another error of the file system.
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

    /// Not handed down to a program that is run: it would keep the lock.
    private static func open(_ path: String) throws -> SystemPackage.FileDescriptor {
        try SystemPackage.FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec, .directory])
    }

    private static func close(_ descriptor: SystemPackage.FileDescriptor) {
        // Nothing was written through it, so there is nothing to lose.
        _ = Glibc.close(descriptor.rawValue)
    }
}

/// A file that an upload is received into. Written and removed on threads that may wait for a disk.
struct UploadFile: Sendable {
    /// Where it is.
    let path: String
    private let descriptor: SystemPackage.FileDescriptor

    /// - Throws: an error of the file system.
    fileprivate static func make(path: String) async throws -> UploadFile {
        try await NIOThreadPool.singleton.runIfActive {
            let descriptor = try SystemPackage.FileDescriptor.open(
                FilePath(path), .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
                permissions: .ownerReadWrite)
            return UploadFile(path: path, descriptor: descriptor)
        }
    }

    /// Appends bytes.
    /// - Throws: an error of the file system.
    func write(_ bytes: ByteBuffer) async throws {
        try await NIOThreadPool.singleton.runIfActive {
            _ = try bytes.withUnsafeReadableBytes { try descriptor.writeAll($0) }
        }
    }

    /// In a task of its own, since for one that was cancelled the pool does nothing.
    fileprivate func remove() async throws {
        try await Task {
            try await NIOThreadPool.singleton.runIfActive {
                try descriptor.closeAfter { _ = unlink(path) }
            }
        }.value
    }
}
