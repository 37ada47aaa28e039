import Domain
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

/// Stores uploads while they arrive, in a folder per process.
final class UploadFolder: Sendable {
    private let folder: TemporaryFolder
    private let logger: Logger

    /// Creates this process's folder, and removes those of ended processes.
    /// - Parameters:
    ///   - dataDirectory: contains the shared folder; both are created if missing.
    ///   - logger: logs when the disk is full.
    /// - Throws: a file system error.
    init(dataDirectory: String, logger: Logger) throws {
        self.logger = logger
        folder = try TemporaryFolder(in: "\(dataDirectory)/uploads")
    }

    /// Creates an empty file for `body` and always removes it afterwards.
    /// - Throws: what `body` throws; `AppError.unavailable` if the disk is full; another file system error.
    func withFile<Value>(_ body: (UploadFile) async throws -> Value) async throws -> Value {
        do {
            let file = try await UploadFile.make(path: "\(folder.path)/\(Identifier<UploadFile>.random())")
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
