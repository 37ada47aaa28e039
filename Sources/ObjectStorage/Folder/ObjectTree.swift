import Domain
import Foundation
import Glibc
import Ports
import SystemPackage

/// The files and folders of a `FileObjectStore`. All calls block.
struct ObjectTree: Sendable {
    /// Appended to the last part of a key to form the file name. Keys never contain a comma.
    static let suffix = ",object"
    /// No part of a key begins with a dot, so that drafts never appear in a list.
    private static let draftFolder = ".drafts"

    let root: String

    /// Writes a draft and moves it to its place: readers see either the complete old or the complete new object.
    /// - Throws: `ObjectStoreError`.
    func write(_ file: [UInt8], at key: ObjectKey) throws(ObjectStoreError) {
        try reportingErrors {
            let drafts = "\(root)/\(Self.draftFolder)"
            try makeFolder(drafts)
            let draft = "\(drafts)/\(UUID().uuidString)"
            do {
                try writeDurably(file, to: draft)
                try move(draft, to: path(of: key))
            } catch {
                unlink(draft)
                throw error
            }
        }
    }

    /// `nil` if the object does not exist.
    /// - Throws: `ObjectStoreError`.
    func read(_ key: ObjectKey) throws(ObjectStoreError) -> [UInt8]? {
        try reportingErrors {
            do {
                let descriptor = try FileDescriptor.open(path(of: key), .readOnly, options: [.closeOnExec, .noFollow])
                return try descriptor.closeAfter { try Self.readAll(descriptor) }
            } catch Errno.noSuchFileOrDirectory {
                return nil
            }
        }
    }

    /// Also deletes folders that become empty.
    /// - Throws: `ObjectStoreError`.
    func remove(_ key: ObjectKey) throws(ObjectStoreError) {
        try reportingErrors {
            let path = path(of: key)
            do {
                try check(unlink(path))
                try synchronizeFolder(of: path)
            } catch Errno.noSuchFileOrDirectory {
                return
            }
            var folder = Self.parent(of: path)
            while folder != root, rmdir(folder) == 0 { folder = Self.parent(of: folder) }
        }
    }

    /// - Throws: `ObjectStoreError`.
    func removeDrafts(olderThan age: Duration) throws(ObjectStoreError) {
        try reportingErrors {
            let limit = Date().addingTimeInterval(-Double(age.components.seconds))
            let drafts = "\(root)/\(Self.draftFolder)"
            for name in try names(in: drafts) {
                guard let status = try status(of: "\(drafts)/\(name)"), status.modifiedAt < limit else { continue }
                unlink("\(drafts)/\(name)")
            }
        }
    }

    /// Names in a folder, in no particular order; empty if it does not exist or is not a folder.
    /// - Throws: `Errno`.
    func names(in folder: String) throws -> [String] {
        guard let stream = opendir(folder) else {
            if errno == ENOENT || errno == ENOTDIR { return [] }
            throw Errno(rawValue: errno)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// `nil` if the path does not exist or is not a regular file.
    /// - Throws: a file system error.
    func status(of path: String) throws -> (modifiedAt: Date, size: Int)? {
        do {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            guard attributes[.type] as? FileAttributeType == .typeRegular,
                let date = attributes[.modificationDate] as? Date, let size = attributes[.size] as? Int
            else { return nil }
            return (date, size)
        } catch CocoaError.fileReadNoSuchFile, CocoaError.fileNoSuchFile {
            return nil
        }
    }

    /// The only place that translates system errors.
    func reportingErrors<Value>(_ body: () throws -> Value) throws(ObjectStoreError) -> Value {
        do {
            return try body()
        } catch let error as Errno {
            throw ObjectStoreError(error)
        } catch {
            throw .unavailable("The folder of objects cannot be used")
        }
    }

    private func path(of key: ObjectKey) -> String { "\(root)/\(key.text)\(Self.suffix)" }

    private func writeDurably(_ bytes: [UInt8], to path: String) throws {
        let descriptor = try FileDescriptor.open(
            path, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec], permissions: .ownerReadWrite)
        try descriptor.closeAfter {
            try descriptor.writeAll(bytes)
            try check(fsync(descriptor.rawValue))
        }
    }

    /// Retries if a concurrent `remove` deletes the still empty folder between its creation and the move.
    private func move(_ draft: String, to path: String) throws {
        for attempt in 1... {
            try makeFolder(Self.parent(of: path))
            do {
                try check(rename(draft, path))
                break
            } catch Errno.noSuchFileOrDirectory where attempt < 10 {
                continue
            }
        }
        try synchronizeFolder(of: path)
    }

    /// Creates the folder and its parents; each new name is flushed to the disk in its parent folder.
    private func makeFolder(_ path: String) throws {
        if mkdir(path, 0o700) == 0 { return try synchronizeFolder(of: path) }
        switch errno {
        case EEXIST: return
        case ENOENT:
            try makeFolder(Self.parent(of: path))
            if mkdir(path, 0o700) != 0, errno != EEXIST { throw Errno(rawValue: errno) }
            try synchronizeFolder(of: path)
        case let number: throw Errno(rawValue: number)
        }
    }

    /// Without it, a created or deleted name may be lost or return after a power failure.
    private func synchronizeFolder(of path: String) throws {
        do {
            let folder = try FileDescriptor.open(Self.parent(of: path), .readOnly, options: [.directory, .closeOnExec])
            try folder.closeAfter { try check(fsync(folder.rawValue)) }
        } catch Errno.noSuchFileOrDirectory {
            // Another process deleted the folder with everything in it.
        }
    }

    private func check(_ result: Int32) throws {
        guard result == 0 else { throw Errno(rawValue: errno) }
    }

    private static func parent(of path: String) -> String {
        let parent = FilePath(path).removingLastComponent().string
        return parent.isEmpty ? "." : parent
    }

    private static func readAll(_ descriptor: FileDescriptor) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = try part.withUnsafeMutableBytes { try descriptor.read(into: $0) }
            guard count > 0 else { return bytes }
            bytes += part[..<count]
        }
    }
}

extension ObjectStoreError {
    /// Translates a system error for the operator.
    init(_ error: Errno) {
        switch error {
        case .noSpace, .diskQuotaExceeded, .fileTooLarge:
            self = .unavailable("The disk of the folder of objects is full")
        case .permissionDenied, .notPermitted:
            self = .misconfigured("The folder of objects, below DATA_DIR, may not be written by this user")
        case .readOnlyFileSystem:
            self = .misconfigured("The folder of objects, below DATA_DIR, is on a disk that cannot be written")
        case .notDirectory, .tooManySymbolicLinkLevels:
            self = .misconfigured("A part of the path of the folder of objects, below DATA_DIR, is no folder")
        default:
            self = .unavailable("The folder of objects cannot be used (errno \(error.rawValue))")
        }
    }
}
