import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
package import Ports

/// A real OpenStack Swift with its S3 interface for tests, on free ports of the loopback interface.
///
/// It checks signatures of headers, queries and bodies. It ends with the test process, even if that is killed; its
/// folder is removed then, or at the next start.
package final class ObjectStoreServer: Sendable {
    /// Users and their permissions. The secrets are those of `object_store.py`.
    package enum Account: String, Sendable {
        /// May do everything.
        case administrator = "admin"
        /// Known, but without any permission.
        case nobody
    }

    /// The region that signatures must contain.
    package static let region = "eu-test-1"

    /// Scheme, host and port.
    package let endpoint: String
    private let control: String
    private let process: BackgroundProcess
    private let turns = TestTurns(4)

    /// The server shared by all tests of this process, each with its own bucket.
    package static var shared: ObjectStoreServer {
        get async throws { try await starting.value }
    }

    /// Unstructured, because the first test starts the server, and cancelling that test must not stop it.
    private static let starting = Task { try await ObjectStoreServer.start() }

    /// Starts a server that the caller ends with `kill`; otherwise it ends with the process.
    /// - Throws: `ObjectStoreServerError`, which says what is missing.
    package static func start() async throws -> ObjectStoreServer {
        let folder = try ServerFolders.make()
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("object_store.py")
        // The system's Python, since Debian installs Swift's modules there.
        let process = try await BackgroundProcess.start("/usr/bin/python3", [script.path, folder.path])
        let ready = folder.appendingPathComponent("ready.json")
        // A start takes a second or two, but compilers may use all processors.
        let deadline = ContinuousClock.now + .seconds(60)
        while !FileManager.default.fileExists(atPath: ready.path) {
            guard process.isRunning else { throw ObjectStoreServerError.ended(log: log(in: folder)) }
            guard ContinuousClock.now < deadline else { throw ObjectStoreServerError.late(log: log(in: folder)) }
            try await Task.sleep(for: .milliseconds(10))
        }
        let message = try JSONDecoder().decode(Message.self, from: Data(contentsOf: ready))
        guard let port = message.port, let control = message.control else {
            throw ObjectStoreServerError.impossible(message.error ?? "")
        }
        return ObjectStoreServer(port: port, control: control, process: process)
    }

    private init(port: Int, control: Int, process: BackgroundProcess) {
        endpoint = "http://127.0.0.1:\(port)"
        self.control = "http://127.0.0.1:\(control)"
        self.process = process
    }

    /// Creates a unique bucket.
    /// - Parameter quota: maximum bytes; `nil` for no limit.
    /// - Returns: its name.
    package func makeBucket(quota: Int? = nil) async throws -> String {
        let name = "test-\(UUID().uuidString.lowercased())"
        var request = HTTPClientRequest(url: "\(control)/\(name)\(quota.map { "?quota=\($0)" } ?? "")")
        request.method = .PUT
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        guard response.status.code == 201 else { throw ObjectStoreServerError.noBucket(status: response.status.code) }
        return name
    }

    /// Runs `body` with a new bucket; only a few tests at a time.
    /// - Parameter quota: as for `makeBucket`.
    package func withBucket<Value>(
        quota: Int? = nil, isolation: isolated (any Actor)? = #isolation, _ body: (String) async throws -> Value
    ) async throws -> Value {
        await turns.take()
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(makeBucket(quota: quota)))
        } catch {
            result = .failure(error)
        }
        await turns.release()
        return try result.get()
    }

    /// Runs `body` with a new bucket behind a proxy that can break connections.
    package func withFaultyBucket(
        isolation: isolated (any Actor)? = #isolation, _ body: (FaultProxy, S3Settings) async throws -> Void
    ) async throws {
        try await withBucket { bucket in
            try await FaultProxy.with(upstream: URLComponents(string: endpoint)?.port ?? 0) { proxy in
                try await body(proxy, settings(bucket: bucket, endpoint: "http://127.0.0.1:\(proxy.port)"))
            }
        }
    }

    /// The settings to use a bucket on this server.
    package func settings(
        bucket: String, account: Account = .administrator, endpoint: String? = nil
    ) -> S3Settings {
        S3Settings(
            endpoint: endpoint ?? self.endpoint, region: Self.region, bucket: bucket, addressing: .path,
            credentials: S3Credentials(
                accessKeyID: "test:\(account.rawValue)", secretAccessKey: SecretText("\(account.rawValue)-secret")))
    }

    /// The same as environment variables for our programs.
    package func environment(bucket: String) -> [String: String] {
        let settings = settings(bucket: bucket)
        return [
            "OBJECT_STORE": "s3", "S3_ENDPOINT": settings.endpoint, "S3_REGION": settings.region, "S3_BUCKET": bucket,
            "S3_ACCESS_KEY_ID": settings.credentials.accessKeyID,
            "S3_SECRET_ACCESS_KEY": settings.credentials.secretAccessKey.value,
        ]
    }

    /// The same for copies of backups.
    package func backupEnvironment(bucket: String) -> [String: String] {
        var values = environment(bucket: bucket)
        values["OBJECT_STORE"] = nil
        values["BACKUP_BUCKET"] = values.removeValue(forKey: "S3_BUCKET")
        return values
    }

    /// Kills the server and returns when it has ended.
    package func kill() {
        process.kill()
    }

    /// The script's own status.
    private struct Message: Decodable {
        let port: Int?
        let control: Int?
        let error: String?
    }

    private static func log(in folder: URL) -> String {
        let log = FileManager.default.contents(atPath: folder.appendingPathComponent("log").path) ?? Data()
        return String(decoding: log.suffix(4_000), as: UTF8.self)
    }
}

/// Why there is no object store to test with.
package enum ObjectStoreServerError: Error, CustomStringConvertible {
    /// Something is missing; says what to do about it.
    case impossible(String)
    /// It ended unexpectedly.
    case ended(log: String)
    /// It was not ready in time.
    case late(log: String)
    /// It did not create a bucket.
    case noBucket(status: UInt)

    /// The message of a failed test.
    package var description: String {
        switch self {
        case .impossible(let advice): advice
        case .ended(let log): "OpenStack Swift ended by itself. The end of its log:\n\(log)"
        case .late(let log): "OpenStack Swift does not start in time. The end of its log:\n\(log)"
        case .noBucket(let status): "OpenStack Swift made no bucket (\(status))."
        }
    }
}
