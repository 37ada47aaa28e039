import Foundation
import HappinessClient
import SystemPackage

/// The file with the state, which one program uses at a time.
///
/// It has the tokens, and papers that are worth a vote, so only its owner can read it.
actor Device {
    private(set) var state: DeviceState
    private let folder: FilePath
    private let lock: FileDescriptor

    private static let file = "state.json"

    /// Opens `$HAPPINESS_HOME`, or the folder `happiness` where programs keep their state (XDG Base Directory
    /// Specification): `$XDG_STATE_HOME`, usually `~/.local/state`.
    init() throws {
        let environment = ProcessInfo.processInfo.environment
        func setting(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let states = setting("XDG_STATE_HOME") ?? NSHomeDirectory() + "/.local/state"
        folder = FilePath(setting("HAPPINESS_HOME") ?? states + "/happiness")
        try FileManager.default.createDirectory(
            atPath: folder.string, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        lock = try FileDescriptor.open(
            folder.appending("lock"), .readWrite, options: [.create, .closeOnExec], permissions: .ownerReadWrite)
        // Released by the system when the program ends, in whatever way.
        guard flock(lock.rawValue, LOCK_EX) == 0 else { throw Errno(rawValue: errno) }
        do {
            let bytes = try Data(contentsOf: URL(filePath: folder.appending(Self.file).string))
            let format = try JSONDecoder().decode(Format.self, from: bytes).format
            guard format == DeviceState.currentFormat else {
                throw Rejection("A later version of happiness wrote \(folder.appending(Self.file)). Use that version.")
            }
            var state = try JSONDecoder().decode(DeviceState.self, from: bytes)
            state.renameKeys()
            self.state = state
        } catch CocoaError.fileReadNoSuchFile {
            state = DeviceState()
        }
    }

    private struct Format: Decodable {
        let format: Int
    }

    /// Changes the state, and returns when it is on the disk.
    func change(_ body: @Sendable (inout DeviceState) throws -> Void) throws {
        var new = state
        try body(&new)
        let unfinished = folder.appending("\(Self.file).new")
        let bytes = try JSONEncoder().encode(new)
        let descriptor = try FileDescriptor.open(
            unfinished, .writeOnly, options: [.create, .truncate, .closeOnExec], permissions: .ownerReadWrite)
        try descriptor.closeAfter {
            try descriptor.writeAll(bytes)
            try descriptor.synchronize()
        }
        guard rename(unfinished.string, folder.appending(Self.file).string) == 0 else { throw Errno(rawValue: errno) }
        // The folder has the new name only after this.
        let names = try FileDescriptor.open(folder, .readOnly, options: [.directory, .closeOnExec])
        try names.closeAfter { try names.synchronize() }
        state = new
    }
}

extension FileDescriptor {
    fileprivate func synchronize() throws {
        guard fsync(rawValue) == 0 else { throw Errno(rawValue: errno) }
    }
}
