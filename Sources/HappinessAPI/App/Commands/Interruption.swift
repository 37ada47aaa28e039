import Dispatch
import Foundation
import Services
import Synchronization

/// Removes the files of a command that is interrupted: by Ctrl-C, SIGTERM, or a terminal that is gone.
enum Interruption {
    private static let paths = Mutex<Set<String>>([])
    private static let isHandled: Void = { for number in [SIGINT, SIGTERM, SIGHUP] { handle(number) } }()

    /// Runs `body`. If the process is told to end meanwhile, removes a file, or a folder with everything in it, and ends.
    /// - Throws: what `body` throws.
    static func removing<Value>(_ path: String, _ body: () async throws -> Value) async throws -> Value {
        _ = isHandled
        paths.withLock { _ = $0.insert(path) }
        defer { paths.withLock { _ = $0.remove(path) } }
        return try await body()
    }

    /// Dispatch runs the handler on a thread of its own: the command may keep the other threads busy for minutes.
    private static func handle(_ number: Int32) {
        // Some signals may be ignored, as under nohup(1).
        guard signal(number, SIG_DFL) == nil else {
            _ = signal(number, SIG_IGN)
            return
        }
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler {
            // The lock is kept until the end, so that `body` cannot forget a path meanwhile.
            paths.withLock { paths in
                for path in paths {
                    // What cannot be removed now is removed by the next start.
                    try? FileManager.default.removeItem(atPath: path)
                }
                // As a shell reports a process that a signal ended.
                _exit(128 + number)
            }
            // Dispatch forgets a source to which nothing refers.
            source.cancel()
        }
        source.resume()
    }
}

extension TemporaryFolder {
    /// Runs `body` with the path of a folder for a command's temporary files, and removes it in any case.
    /// - Throws: what `body` throws, or `OperatorError` if the folder cannot be created.
    static func with<Value>(
        _ dataDirectory: String, _ body: (_ folder: String) async throws -> Value
    ) async throws -> Value {
        let folder = try OperatorMessage.writing(to: dataDirectory, setting: "DATA_DIR") {
            try TemporaryFolder(in: shared(dataDirectory: dataDirectory))
        }
        defer { folder.remove() }
        return try await Interruption.removing(folder.path) { try await body(folder.path) }
    }
}
