public import Foundation
public import Shared

/// The checkout that the tests were built from: the files the program comes with, its sources and its documents.
public enum Repository {
    /// Where `Package.swift` is.
    public static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// As the program finds its files when it is started here.
    public static let resources = Resources(root: root)

    /// A file's text.
    /// - Parameter path: from the root.
    public static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// Every Swift file of a folder and those in it.
    /// - Parameter folder: its path from the root.
    /// - Returns: at least one; a folder that is not there any more is an error, not a test that passes.
    public static func sources(in folder: String) throws -> [Source] {
        let files = FileManager.default.enumerator(at: root.appending(path: folder), includingPropertiesForKeys: nil)
        let swift = (files?.allObjects ?? []).compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
        guard !swift.isEmpty else { throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: folder]) }
        return try swift.map { Source(path: $0.path, text: try String(contentsOf: $0, encoding: .utf8)) }
    }

    /// A Swift file.
    public struct Source: Sendable {
        /// Absolute.
        public let path: String
        /// All of it.
        public let text: String
    }
}
