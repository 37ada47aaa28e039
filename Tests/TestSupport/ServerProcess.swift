import Foundation
import Synchronization

/// One of our executables, built with the tests, running in its own folder.
///
/// It gets only the given settings as environment, and ends with the test process.
package final class ServerProcess: Sendable {
    /// The executable to run.
    package enum Program: String, Sendable {
        /// The server and the operator's commands.
        case api = "HappinessAPI"
        /// The worker.
        case worker = "Worker"
        /// The worker as packages have it: a link to the server's executable.
        case linkedWorker = "worker"
    }

    private let child: ChildProcess
    private let outputFile: URL
    private let logFile: URL

    private init(child: ChildProcess, outputFile: URL, logFile: URL) {
        self.child = child
        self.outputFile = outputFile
        self.logFile = logFile
    }

    /// Starts a program and returns immediately.
    /// - Parameters:
    ///   - directory: its working directory; the program's resources are linked into it.
    ///   - input: its standard input.
    ///   - shell: a line of bash that runs the program, which is `"$@"`; `nil` to run it without a shell.
    /// - Throws: `ServerProcessError`, or a file system error.
    package static func launch(
        _ program: Program, _ arguments: [String] = [], settings: [String: String], in directory: TemporaryDirectory,
        input: String = "", shell: String? = nil
    ) async throws -> ServerProcess {
        let name = UUID().uuidString
        let files = ["in", "out", "log"].map { directory.url.appendingPathComponent("\(name).\($0)") }
        try Data(input.utf8).write(to: files[0])
        for file in files.dropFirst() { try Data().write(to: file) }
        try linkResources(into: directory)
        let built = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        var executable = built.appendingPathComponent(program.rawValue)
        if program == .linkedWorker {
            executable = directory.url.appendingPathComponent(program.rawValue)
            try FileManager.default.createSymbolicLink(
                at: executable, withDestinationURL: built.appendingPathComponent(Program.api.rawValue))
        }
        guard FileManager.default.isExecutableFile(atPath: executable.path) else {
            throw ServerProcessError.notBuilt(path: executable.path)
        }
        let command = (shell.map { ["/bin/bash", "-c", $0, "bash"] } ?? []) + [executable.path] + arguments
        let child = try await ChildProcess.start(
            command, environment: settings.merging(["TZ": "UTC"]) { $1 },
            directory: directory.url.path, standardFiles: files.map(\.path))
        return ServerProcess(child: child, outputFile: files[1], logFile: files[2])
    }

    /// Starts the API on a port chosen by the system, or the one in the settings, and returns when it serves.
    /// - Parameter shell: as in `launch`.
    /// - Throws: `ServerProcessError` with the log if it does not start.
    package static func serve(
        settings: [String: String], in directory: TemporaryDirectory, shell: String? = nil
    ) async throws -> (process: ServerProcess, url: String) {
        let process = try await launch(
            .api, settings: ["PORT": "0"].merging(settings) { $1 }, in: directory, shell: shell)
        let url = try await process.poll(until: "it serves", within: .seconds(60)) {
            process.log.firstMatch(of: /address(?:=|":")(http:[^ \]"]+)/).map { String($0.1) }
        }
        try await process.poll(until: "it answers", within: .seconds(60)) {
            try? await HTTPProbe.get("\(url)/health/live").status == 200 ? () : nil
        }
        return (process, url)
    }

    /// Runs a program to its end.
    /// - Parameter shell: as in `launch`.
    /// - Throws: `ServerProcessError` if it does not end.
    package static func run(
        _ program: Program, _ arguments: [String] = [], settings: [String: String], in directory: TemporaryDirectory,
        input: String = "", shell: String? = nil
    ) async throws -> (status: Int32, output: String, log: String) {
        let process = try await launch(
            program, arguments, settings: settings, in: directory, input: input, shell: shell)
        let status = try await process.untilEnd()
        return (status, process.output, process.log)
    }

    /// Its standard output so far.
    package var output: String { Self.text(of: outputFile) }
    /// Its standard error so far.
    package var log: String { Self.text(of: logFile) }

    /// Sends a signal.
    package func signal(_ number: Int32) { child.signal(number) }

    /// Sends SIGTERM.
    package func terminate() { child.signal(SIGTERM) }

    /// Sends SIGKILL, and returns when the process has ended.
    package func kill() async throws {
        child.signal(SIGKILL)
        _ = try await untilEnd()
    }

    /// Waits for its end.
    /// - Returns: its exit status, or the negative number of the signal that ended it.
    /// - Throws: `ServerProcessError` after a minute.
    @discardableResult
    package func untilEnd() async throws -> Int32 {
        try await poll(until: "it ends", within: .seconds(60), mayEnd: true) { self.child.status }
    }

    /// Polls every few milliseconds, since neither the end of a process nor its files give a notification.
    private func poll<Value>(
        until goal: String, within limit: Duration, mayEnd: Bool = false, _ look: () async -> Value?
    ) async throws -> Value {
        let deadline = ContinuousClock.now + limit
        while true {
            let hasEnded = child.status != nil
            if let value = await look() { return value }
            guard mayEnd || !hasEnded else { throw ServerProcessError.ended(log: log) }
            guard ContinuousClock.now < deadline else { throw ServerProcessError.late(goal, log: log) }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    private static func text(of file: URL) -> String {
        FileManager.default.contents(atPath: file.path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private static func linkResources(into directory: TemporaryDirectory) throws {
        for name in ["templates", "public", "openapi"]
        where !FileManager.default.fileExists(atPath: directory.path(name)) {
            do {
                try FileManager.default.createSymbolicLink(
                    atPath: directory.path(name), withDestinationPath: Repository.root.appending(path: name).path)
            } catch CocoaError.fileWriteFileExists {
                // Another process started in the same folder was faster.
            }
        }
    }
}

/// Why a program is not running.
package enum ServerProcessError: Error, CustomStringConvertible {
    /// The executable does not exist.
    case notBuilt(path: String)
    /// A system call failed with `errno`.
    case system(String, errno: Int32)
    /// It ended unexpectedly.
    case ended(log: String)
    /// It did not reach a state in time.
    case late(String, log: String)

    /// The message of a failed test.
    package var description: String {
        switch self {
        case .notBuilt(let path): "There is no \(path). Run: swift build --build-tests"
        case .system(let call, let number): "\(call) failed: \(String(cString: strerror(number)))"
        case .ended(let log): "The program ended by itself. Its log:\n\(log.suffix(4_000))"
        case .late(let goal, let log): "Waited too long until \(goal). The log:\n\(log.suffix(4_000))"
        }
    }
}

/// A child process and the thread that waits for it: the kernel kills it when *that thread* ends, see
/// `BackgroundProcess`.
private final class ChildProcess: Sendable {
    private struct State {
        var identifier: pid_t = 0
        var status: Int32?
    }

    private let state = Mutex(State())

    /// - Parameters:
    ///   - environment: without libmongoc's file for counters in `/dev/shm`. A killed process leaves it there, and the
    ///     next one with its number then prints a warning.
    ///   - standardFiles: paths of standard input, output and error.
    static func start(
        _ command: [String], environment: [String: String], directory: String, standardFiles: [String]
    ) async throws -> ChildProcess {
        let child = ChildProcess()
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Thread.detachNewThread {
                // Those who start the tests may ignore signals, as nohup(1) does.
                let number = child.spawn(
                    ["/usr/bin/setpriv", "--pdeathsig", "KILL", "/usr/bin/env", "--default-signal", "-C", directory]
                        + command,
                    environment: environment.merging(["MONGOC_DISABLE_SHM": "1"]) { $1 }, standardFiles: standardFiles)
                guard number == 0 else {
                    continuation.resume(throwing: ServerProcessError.system("posix_spawn", errno: number))
                    return
                }
                continuation.resume()
                child.reap()
            }
        }
        return child
    }

    /// Exit status, or the negative number of the signal; `nil` while it runs.
    var status: Int32? { state.withLock { $0.status } }

    func signal(_ number: Int32) {
        state.withLock { state in
            // Not after the end: the id may then belong to another process.
            if state.status == nil { _ = Foundation.kill(state.identifier, number) }
        }
    }

    private func spawn(
        _ command: [String], environment: [String: String], standardFiles: [String]
    ) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let modes = [O_RDONLY, O_WRONLY | O_APPEND, O_WRONLY | O_APPEND]
        for (descriptor, (path, mode)) in zip(standardFiles, modes).enumerated() {
            posix_spawn_file_actions_addopen(&actions, Int32(descriptor), path, mode, 0)
        }
        // glibc ignores closed descriptors. Sockets of other tests must not stay open in the child.
        for descriptor: Int32 in 3..<256 { posix_spawn_file_actions_addclose(&actions, descriptor) }
        var arguments = command.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        return state.withLock { state in
            posix_spawn(&state.identifier, command[0], &actions, nil, &arguments, &variables)
        }
    }

    private func reap() {
        let identifier = state.withLock { $0.identifier }
        var information = siginfo_t()
        // WNOWAIT keeps the dead child as a zombie, so that its id is not reused before `status` is set.
        while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
        state.withLock { state in
            var status: Int32 = 0
            waitpid(identifier, &status, 0)
            let signal = status & 0x7f
            state.status = signal == 0 ? (status >> 8) & 0xff : -signal
        }
    }
}
