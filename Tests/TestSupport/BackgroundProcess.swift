import Foundation

/// A server's process and the thread that waits for it. It ends with the test process, even if that is killed.
///
/// `setpriv --pdeathsig` makes the kernel kill it when *the thread* that started it ends. A thread of the cooperative
/// pool ends after some idle time, so the process gets a thread of its own, which waits for its end.
///
/// `@unchecked Sendable`: `identifier` and `hasEnded` are only accessed while `condition` is locked.
final class BackgroundProcess: @unchecked Sendable {
    private let condition = NSCondition()
    private var identifier: pid_t = 0
    private var hasEnded = false

    /// - Throws: `ServerProcessError.system` if the program cannot be started.
    static func start(_ binary: String, _ arguments: [String]) async throws -> BackgroundProcess {
        let process = BackgroundProcess()
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let thread = Thread {
                let number = process.spawn(["setpriv", "--pdeathsig", "KILL", binary] + arguments)
                guard number == 0 else {
                    continuation.resume(throwing: ServerProcessError.system("posix_spawn", errno: number))
                    return
                }
                continuation.resume()
                process.waitUntilReaped()
            }
            thread.start()
        }
        ProcessEnd.register(process)
        return process
    }

    var isRunning: Bool {
        condition.lock()
        defer { condition.unlock() }
        return !hasEnded
    }

    /// Sends SIGKILL and waits for the end.
    func kill() {
        condition.lock()
        defer { condition.unlock() }
        // Not after the end: the id may then belong to another process.
        if !hasEnded { _ = Foundation.kill(identifier, SIGKILL) }
        while !hasEnded { condition.wait() }
    }

    private func spawn(_ command: [String]) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor: Int32 in 0...2 {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        // glibc ignores closed descriptors. Sockets of other tests must not stay open in the child.
        for descriptor: Int32 in 3..<256 { posix_spawn_file_actions_addclose(&actions, descriptor) }
        var arguments = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        condition.lock()
        defer { condition.unlock() }
        return posix_spawnp(&identifier, command[0], &actions, nil, &arguments, environ)
    }

    private func waitUntilReaped() {
        condition.lock()
        let child = identifier
        condition.unlock()
        // WNOWAIT keeps the dead child as a zombie, so that its id is not reused before `hasEnded` is set.
        var information = siginfo_t()
        while waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
        condition.lock()
        waitpid(child, nil, 0)
        hasEnded = true
        condition.broadcast()
        condition.unlock()
    }
}

/// Kills child processes and removes files when the test process ends.
enum ProcessEnd {
    private static let processes = MongoServerState<[BackgroundProcess]>([])
    private static let installed: Void = {
        atexit {
            for process in ProcessEnd.processes.withLock({ $0 }) { process.kill() }
            ServerFolders.removeOwn()
        }
    }()

    static func register(_ process: BackgroundProcess) {
        installed
        processes.withLock { $0.append(process) }
    }
}

/// Folders of servers: named after their process, so that those of a killed test run can be recognized and removed
/// later.
enum ServerFolders {
    private static let prefix = "happiness-server-"
    private static let parent = FileManager.default.temporaryDirectory
    private static let own = "\(prefix)\(getpid())-"

    /// Creates a folder. Removes those of ended processes.
    static func make() throws -> URL {
        for name in try FileManager.default.contentsOfDirectory(atPath: parent.path) where name.hasPrefix(prefix) {
            guard let owner = name.dropFirst(prefix.count).split(separator: "-").first.flatMap({ pid_t($0) }),
                Foundation.kill(owner, 0) != 0, errno == ESRCH
            else { continue }
            remove(name)
        }
        let folder = parent.appendingPathComponent(own + UUID().uuidString.prefix(8))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        return folder
    }

    static func removeOwn() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
        for name in names where name.hasPrefix(own) { remove(name) }
    }

    /// Left-over files must not fail a test, and two processes may clean up at once.
    private static func remove(_ name: String) {
        try? FileManager.default.removeItem(at: parent.appendingPathComponent(name))
    }
}
