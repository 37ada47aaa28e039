import Crypto
import Foundation

/// The end of a backup of SQLite: a line and the SHA-256 of everything before it. SQLite ignores what follows the pages
/// that a file's header counts (https://www.sqlite.org/fileformat2.html#the_database_header), so the backup can still be
/// opened. `quick_check` finds broken pages only, not a changed letter in a text.
enum BackupChecksum {
    private static let line = Data("\nHappiness Metric backup, SHA-256 of everything before this line:\n".utf8)
    /// Bytes that are read at once.
    private static let pieceLength = 1 << 20
    /// Bytes of SQLite's header.
    private static let headLength = 100

    /// Appends the checksum to a file that has none.
    /// - Throws: an error of the file system.
    static func append(to path: String) throws {
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        defer { try? handle.close() }
        let length = try handle.seekToEnd()
        try handle.seek(toOffset: 0)
        let digest = try hash(handle, length: length)
        try handle.write(contentsOf: line + digest)
    }

    /// Whether a file has the checksum. Backups of version 0.1.0, files of a store, and files that SQLite did not write
    /// have none.
    /// - Throws: `SQLiteStorageError` if the checksum does not match; an error of the file system.
    static func verify(_ path: String) throws -> Bool {
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? handle.close() }
        guard let head = try handle.read(upToCount: headLength), head.count == headLength,
            head.starts(with: Data("SQLite format 3\0".utf8))
        else { return false }
        // A store in use has a write-ahead log, and any length.
        guard head[18] != 2 else { return false }
        let pageSize = UInt64(head[16]) << 8 | UInt64(head[17])
        let pages = head[28..<32].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        // 1 means 65,536, which does not fit.
        let content = pages * (pageSize == 1 ? 65_536 : pageSize)
        let length = try handle.seekToEnd()
        if length == content { return false }
        guard length == content + UInt64(line.count + SHA256.Digest.byteCount) else { throw damaged }
        try handle.seek(toOffset: 0)
        let digest = try hash(handle, length: content)
        guard try handle.read(upToCount: line.count + SHA256.Digest.byteCount) == line + digest else { throw damaged }
        return true
    }

    /// - Throws: `SQLiteStorageError` if the file is shorter.
    private static func hash(_ handle: FileHandle, length: UInt64) throws -> Data {
        var hash = SHA256()
        var rest = length
        while rest > 0 {
            let count = Int(min(rest, UInt64(pieceLength)))
            guard let piece = try handle.read(upToCount: count), !piece.isEmpty else { throw damaged }
            hash.update(data: piece)
            rest -= UInt64(piece.count)
        }
        return Data(hash.finalize())
    }

    private static let damaged = SQLiteStorageError("The backup is damaged: its checksum does not match.")
}
