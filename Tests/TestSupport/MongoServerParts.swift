import Foundation

/// A value protected by a lock.
///
/// `@unchecked Sendable`: the value is only accessed while the lock is held, and only sendable values are returned.
final class MongoServerState<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

/// Finds the mongod binary.
enum MongoBinary {
    /// - Throws: `MongoServerError.notInstalled`.
    static func find(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> String {
        var candidates: [String] = []
        if let named = environment["MONGOD"], !named.isEmpty { candidates.append(named) }
        candidates += (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/mongod" }
        candidates.append(Repository.root.appending(path: ".tools/mongod/bin/mongod").path)
        guard let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
            throw MongoServerError.notInstalled(searched: candidates)
        }
        return found
    }
}
