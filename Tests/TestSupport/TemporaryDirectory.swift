public import Foundation

/// A folder of its own for one test, lent to a closure and gone with everything in it afterwards.
public struct TemporaryDirectory: Sendable {
    /// The folder.
    public let url: URL

    /// The path of a file in it, which need not exist.
    public func path(_ name: String) -> String {
        url.appendingPathComponent(name).path
    }

    /// Makes a folder, lends it, removes it.
    public static func with<Value>(
        isolation: isolated (any Actor)? = #isolation, _ body: (TemporaryDirectory) async throws -> Value
    ) async throws -> Value {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("happiness-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        defer {
            do {
                try FileManager.default.removeItem(at: url)
            } catch {
                print("Left behind: \(url.path): \(error)")
            }
        }
        return try await body(TemporaryDirectory(url: url))
    }
}
