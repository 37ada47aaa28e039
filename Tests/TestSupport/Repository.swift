package import Foundation
package import Services

/// The checkout from which the tests were built: resources, sources and documents.
package enum Repository {
    /// The folder with `Package.swift`.
    package static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The resources that the program finds when it is started here.
    package static let resources = Resources(root: root)

    /// The text of a file.
    /// - Parameter path: relative to the root.
    package static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// Every source file in a folder and its subfolders.
    /// - Parameters:
    ///   - folder: path relative to the root.
    ///   - suffix: of the language, without a dot.
    /// - Returns: at least one; a missing folder is an error, not a test that passes.
    package static func sources(in folder: String, ending suffix: String = "swift") throws -> [Source] {
        let files = FileManager.default.enumerator(at: root.appending(path: folder), includingPropertiesForKeys: nil)
        let sources = (files?.allObjects ?? []).compactMap { $0 as? URL }.filter { $0.pathExtension == suffix }
        guard !sources.isEmpty else { throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: folder]) }
        return try sources.map { Source(path: $0.path, text: try String(contentsOf: $0, encoding: .utf8)) }
    }

    /// A source file.
    package struct Source: Sendable {
        /// Absolute path.
        package let path: String
        /// The complete text.
        package let text: String
    }
}
