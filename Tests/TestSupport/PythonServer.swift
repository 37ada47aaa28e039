import Foundation

/// Runs servers written in Python, from this folder, in the project's virtual environment.
enum PythonServer {
    /// Runs a server while the closure runs.
    /// - Parameters:
    ///   - script: the name of a file in this folder. Its first line of output is JSON with its `port`; it ends when
    ///     its input is closed.
    ///   - body: receives the port.
    /// - Throws: `Failure`, which says what to do.
    static func with<Value>(
        _ script: String, _ arguments: [String] = [], isolation: isolated (any Actor)? = #isolation,
        _ body: (Int) async throws -> Value
    ) async throws -> Value {
        let python = Repository.root.appending(path: ".venv/bin/python3")
        guard FileManager.default.isExecutableFile(atPath: python.path) else { throw Failure(script: script) }
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let output = Pipe()
        let process = Process()
        process.executableURL = python
        process.arguments = [folder.appendingPathComponent(script).path] + arguments
        process.standardInput = Pipe()
        process.standardOutput = output
        try process.run()
        // Not awaited: Foundation's `waitUntilExit` hangs on any other thread than the one that called `run`.
        defer { process.terminate() }
        // Reading blocks, so it has its own thread.
        let line = await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: output.fileHandleForReading.availableData) }.start()
        }
        guard !line.isEmpty else { throw Failure(script: script) }
        return try await body(JSONDecoder().decode(Ready.self, from: line).port)
    }

    private struct Ready: Decodable {
        let port: Int
    }

    /// The environment is missing or incomplete.
    struct Failure: Error, CustomStringConvertible {
        let script: String

        var description: String { "\(script) does not run in .venv. Delete .venv and run scripts/setup-venv.sh." }
    }
}
