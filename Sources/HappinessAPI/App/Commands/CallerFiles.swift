import ArgumentParser
import Foundation
import Product
import Services

/// A file of the person who runs a command.
///
/// The Debian package's command runs this program as another user, who can neither read nor write in most folders. So
/// it asks which files a command line names (`CallerFile.list`), opens them as the caller, and hands them over as open
/// descriptors: `HAPPINESS_FILES` has a line for each, with its number and its path.
struct CallerFile: Hashable {
    enum Use: String {
        case read
        /// The file must not exist yet.
        case write
    }

    let use: Use
    /// As in the command line.
    let path: String

    /// The files of a command line, a line for each. Empty if it is invalid: running it says why.
    static func list(_ arguments: [String]) -> String {
        guard let command = try? HappinessCommand.parseAsRoot(arguments) else { return "" }
        return files(in: command).map { "\($0.use.rawValue) \($0.path)\n" }.joined()
    }

    /// The files that a command's arguments and options name.
    fileprivate static func files(in arguments: Any) -> [CallerFile] {
        // Property wrappers, as ArgumentParser looks at them too.
        Mirror(reflecting: arguments).children.flatMap { ($0.value as? any NamesFiles)?.files ?? [] }
    }

    /// What was handed over; `nil` if the program itself is to open the file.
    fileprivate var descriptor: Int32? {
        for line in (ProcessInfo.processInfo.environment["HAPPINESS_FILES"] ?? "").split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 1)
            if parts.count == 2, parts[1] == path { return Int32(parts[0]) }
        }
        return nil
    }
}

/// A file to read. `-` is standard input.
struct InputFile: ExpressibleByArgument, NamesFiles {
    let path: String

    init(argument: String) { path = argument }

    static var defaultCompletionKind: CompletionKind { .file() }

    fileprivate var files: [CallerFile] { path == "-" ? [] : [CallerFile(use: .read, path: path)] }

    /// Opens it. Call it once: what is read is gone if it is a pipe.
    /// - Throws: an error of the file system.
    func open() throws -> FileHandle {
        if path == "-" { return .standardInput }
        if let descriptor = CallerFile(use: .read, path: path).descriptor {
            return FileHandle(fileDescriptor: descriptor)
        }
        return try FileHandle(forReadingFrom: URL(filePath: path))
    }

    /// The path of a file with this content that can be opened: the file itself, or a copy in a folder.
    /// - Throws: an error of the file system.
    func readable(in folder: String) throws -> String {
        guard path == "-" || CallerFile(use: .read, path: path).descriptor != nil else { return path }
        let copy = "\(folder)/\(UUID().uuidString)"
        guard FileManager.default.createFile(atPath: copy, contents: nil, attributes: [.posixPermissions: 0o600]),
            let target = FileHandle(forWritingAtPath: copy)
        else { throw OperatorError("\(copy) cannot be written.") }
        defer { try? target.close() }
        let source = try open()
        while let piece = try source.read(upToCount: 1 << 20), !piece.isEmpty { try target.write(contentsOf: piece) }
        return copy
    }
}

/// A file to write, which must not exist yet. `-` is standard output.
struct OutputFile: ExpressibleByArgument, NamesFiles {
    let path: String

    init(argument: String) { path = argument }

    static var defaultCompletionKind: CompletionKind { .file() }

    fileprivate var files: [CallerFile] { path == "-" ? [] : [CallerFile(use: .write, path: path)] }

    /// Whether it is standard output, where nothing else may then be printed.
    var isStandardOutput: Bool { path == "-" }

    /// Writes the bytes of a file once it is complete.
    /// - Parameters:
    ///   - dataDirectory: has room for that file.
    ///   - make: creates the file in a folder, which is removed afterwards, and returns its path.
    /// - Throws: as `write`; `OperatorError` if standard output is a terminal; `OutputError`.
    func writeFile(madeIn dataDirectory: String, _ make: (_ folder: String) async throws -> String) async throws {
        guard isStandardOutput else {
            return try await write { target in
                try await TemporaryFolder.with(dataDirectory) { folder in
                    try target.write(contentsOfFile: try await make(folder))
                }
            }
        }
        guard isatty(STDOUT_FILENO) == 0 else {
            throw OperatorError("A backup is not text. Redirect standard output to a file or a program.")
        }
        try await TemporaryFolder.with(dataDirectory) { folder in
            let source = try FileHandle(forReadingFrom: URL(filePath: try await make(folder)))
            defer { try? source.close() }
            while let piece = try source.read(upToCount: 1 << 20), !piece.isEmpty {
                try ProgramOutput.printBytes(piece)
            }
        }
    }

    /// Creates the file, which only its owner may read, for `body` to write, and waits until it is on disk. Removes it if
    /// `body` fails or the command is interrupted; what was handed over is removed by those who created it.
    /// - Throws: `OperatorError` if the file exists or cannot be created; what `body` throws; an error of the file system.
    func write<Value>(_ body: (FileHandle) async throws -> Value) async throws -> Value {
        if let descriptor = CallerFile(use: .write, path: path).descriptor {
            let handle = FileHandle(fileDescriptor: descriptor)
            let value = try await body(handle)
            try handle.synchronize()
            return value
        }
        guard !FileManager.default.fileExists(atPath: path) else {
            throw OperatorError("\(path) exists already. Choose another name.")
        }
        let descriptor = Foundation.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw OperatorError("\(path) cannot be written: \(String(cString: strerror(errno))).")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        return try await Interruption.removing(path) {
            do {
                let value = try await body(handle)
                try handle.synchronize()
                try handle.close()
                return value
            } catch {
                unlink(path)
                throw error
            }
        }
    }
}

/// An argument or a group of them that may name files.
private protocol NamesFiles {
    var files: [CallerFile] { get }
}

extension Optional: NamesFiles where Wrapped: NamesFiles {
    fileprivate var files: [CallerFile] { self?.files ?? [] }
}

extension Argument: NamesFiles where Value: NamesFiles {
    fileprivate var files: [CallerFile] { wrappedValue.files }
}

extension Option: NamesFiles where Value: NamesFiles {
    fileprivate var files: [CallerFile] { wrappedValue.files }
}

extension OptionGroup: NamesFiles {
    fileprivate var files: [CallerFile] { CallerFile.files(in: wrappedValue) }
}
