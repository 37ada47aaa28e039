package import Foundation
package import Mongo

/// A real mongod for tests, on a free port of the loopback interface, with its own data folder.
///
/// It ends with the test process, even if that is killed; its folder is removed then, or at the next start.
package final class MongoServer: Sendable {
    /// The kind of deployment.
    package enum Kind: Sendable {
        /// A replica set of one node: what the product needs.
        case replicaSet
        /// No replica set, hence no transactions.
        case standalone
    }

    /// TCP port on 127.0.0.1; stays the same across restarts.
    package let port: Int
    /// The kind of deployment.
    package let kind: Kind
    /// The folder with its files.
    package let dataFolder: URL
    private let hasTestCommands: Bool
    private let compresses: Bool
    private let binary: String
    private let process = MongoServerState<BackgroundProcess?>(nil)

    /// The replica set shared by all tests of this process, each with its own database (`uri`).
    package static var shared: MongoServer {
        get async throws { try await starting.value }
    }

    /// Unstructured, because the first test starts the server, and cancelling that test must not stop it.
    private static let starting = Task { try await MongoServer.start() }

    /// Starts a server that the caller ends with `kill`; otherwise it ends with the process.
    ///
    /// - Parameters:
    ///   - testCommands: enables `configureFailPoint`, with which a test makes commands fail.
    ///   - compression: `false` for tests that search the files.
    /// - Throws: `MongoServerError`, which says how to install a mongod if there is none.
    package static func start(
        _ kind: Kind = .replicaSet, testCommands: Bool = false, compression: Bool = true
    ) async throws -> MongoServer {
        let binary = try MongoBinary.find()
        // Another process may take the free port before it is used.
        var attempt = 1
        while true {
            let server = try MongoServer(
                kind: kind, hasTestCommands: testCommands, compresses: compression, binary: binary)
            do {
                try await server.restart()
                if kind == .replicaSet { try await server.initiate() }
                return server
            } catch let error as MongoServerError {
                server.kill()
                guard case .ended = error, attempt < 3 else { throw error }
                attempt += 1
            }
        }
    }

    private init(kind: Kind, hasTestCommands: Bool, compresses: Bool, binary: String) throws {
        self.kind = kind
        self.hasTestCommands = hasTestCommands
        self.compresses = compresses
        self.binary = binary
        port = try LoopbackPort.free()
        dataFolder = try ServerFolders.make()
    }

    /// A connection string for a database; by default a unique one.
    package func uri(database: String = MongoServer.uniqueDatabaseName()) -> String {
        "mongodb://127.0.0.1:\(port)/\(database)" + (kind == .replicaSet ? "?replicaSet=\(Self.setName)" : "")
    }

    /// A client of a database; by default a unique one.
    ///
    /// - Throws: `MongoError`.
    package func client(
        database: String = MongoServer.uniqueDatabaseName(), options: MongoOptions = .init()
    ) throws -> MongoClient {
        try MongoClient(uri: uri(database: database), options: options)
    }

    /// A database name that no other test uses.
    package static func uniqueDatabaseName() -> String {
        "test_" + UUID().uuidString.lowercased().replacingOccurrences(of: "-", with: "")
    }

    /// Kills the server, like `kill -9`, and returns when it has ended. Its data stay until the test process ends.
    package func kill() {
        process.withLock { $0 }?.kill()
    }

    /// Starts it after `kill`, on the same port and data, and returns when it accepts writes again.
    ///
    /// - Throws: `MongoServerError`.
    package func restart() async throws {
        var arguments = [
            "--dbpath", dataFolder.path, "--port", String(port), "--bind_ip", "127.0.0.1", "--nounixsocket",
            "--logpath", logFile.path, "--logappend", "--wiredTigerCacheSizeGB", "0.5",
            "--setParameter", "diagnosticDataCollectionEnabled=false",
            // Every test has its own database with about a hundred files, and several tests end within a second. By
            // default files stay open for ten minutes, those of dropped databases for five, and mongod aborts at the
            // limit of open files.
            "--setParameter", "minSnapshotHistoryWindowInSeconds=5",
            "--wiredTigerEngineConfigString",
            "file_manager=(close_idle_time=3,close_scan_interval=1,close_handle_minimum=250)",
        ]
        if kind == .replicaSet { arguments += ["--replSet", Self.setName, "--oplogSize", "256"] }
        if !compresses {
            arguments += ["--wiredTigerCollectionBlockCompressor", "none", "--wiredTigerJournalCompressor", "none"]
        }
        if hasTestCommands { arguments += ["--setParameter", "enableTestCommands=1"] }
        let started = try await BackgroundProcess.start(binary, arguments)
        process.withLock { $0 = started }
        try await poll(until: "it accepts connections") { LoopbackPort.accepts(port) }
        let isMember = FileManager.default.fileExists(atPath: initiatedMarker.path)
        if kind == .standalone || isMember { try await waitForPrimary() }
    }

    private func initiate() async throws {
        let client = try directClient()
        let member: BSONValue = ["_id": .int32(0), "host": .string("127.0.0.1:\(port)")]
        let configuration: BSONValue = ["_id": .string(Self.setName), "members": [member]]
        try await client.run { _ = try $0.adminCommand(["replSetInitiate": configuration]) }
        try await waitForPrimary()
        try Data().write(to: initiatedMarker)
    }

    private func waitForPrimary() async throws {
        let client = try directClient()
        try await poll(until: "it is primary") {
            do {
                return try await client.run { try $0.hello()["isWritablePrimary"]?.boolValue ?? false }
            } catch let error as MongoError where error.kind == .unreachable {
                return false
            }
        }
    }

    /// 60 s: a start takes two seconds, but several run at once while compilers use all processors.
    private func poll(until goal: String, _ isReached: () async throws -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while try await !isReached() {
            guard process.withLock({ $0 })?.isRunning == true else { throw MongoServerError.ended(log: logTail) }
            guard ContinuousClock.now < deadline else { throw MongoServerError.late(goal, log: logTail) }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Connects to this server whether or not it is in a replica set yet.
    private func directClient() throws -> MongoClient {
        var options = MongoOptions()
        options.poolSize = 1
        return try MongoClient(uri: "mongodb://127.0.0.1:\(port)/admin?directConnection=true", options: options)
    }

    private var logFile: URL { dataFolder.appendingPathComponent("mongod.log") }
    private var initiatedMarker: URL { dataFolder.appendingPathComponent("initiated") }
    private var logTail: String {
        guard let log = FileManager.default.contents(atPath: logFile.path) else { return "(no log)" }
        return String(decoding: log.suffix(2_000), as: UTF8.self)
    }

    private static let setName = "rs0"
}

/// Why there is no server.
package enum MongoServerError: Error, CustomStringConvertible {
    /// There is no mongod on this machine.
    case notInstalled(searched: [String])
    /// The server ended unexpectedly.
    case ended(log: String)
    /// The server did not reach a state in time.
    case late(String, log: String)

    /// The message of a failed test.
    package var description: String {
        switch self {
        case .notInstalled(let searched):
            "No mongod found (\(searched.joined(separator: ", "))). Run scripts/install-mongod.sh to get one, "
                + "or name one in the environment variable MONGOD."
        case .ended(let log): "mongod ended by itself. The end of its log:\n\(log)"
        case .late(let goal, let log): "Waited too long for mongod until \(goal). The end of its log:\n\(log)"
        }
    }
}
