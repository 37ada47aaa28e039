package import Foundation

/// A temporary folder for one test, which is removed with its contents afterwards.
package struct TemporaryDirectory: Sendable {
    /// The folder's URL.
    package let url: URL

    /// A folder that exists, and that something else removes.
    package init(existing url: URL) {
        self.url = url
    }

    /// The path of a file in it, which need not exist.
    package func path(_ name: String) -> String {
        url.appendingPathComponent(name).path
    }

    /// Creates a folder for `body` and removes it afterwards.
    package static func with<Value>(
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
        return try await body(TemporaryDirectory(existing: url))
    }
}
