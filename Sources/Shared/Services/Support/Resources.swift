package import Foundation

/// The files shipped with the programs: templates, assets, the API's description.
package struct Resources: Sendable {
    private let root: URL

    /// - Parameter root: the folder that holds `templates`, `public` and `openapi`.
    package init(root: URL) {
        self.root = root
    }

    /// The default location: next to the installed executable (`../share/happiness-metric`), otherwise the working
    /// directory, otherwise the checkout in which the executable was built: the working directory is then another one,
    /// with settings of its own.
    package static func standard() -> Resources {
        // Not the first argument: a program found through PATH gets only its bare name.
        let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let installed = executable.deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("share/happiness-metric")
        if FileManager.default.fileExists(atPath: installed.path) { return Resources(root: installed) }
        let working = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
        guard !FileManager.default.fileExists(atPath: working.appendingPathComponent("templates").path),
            let checkout = checkout(of: executable)
        else { return Resources(root: working) }
        return Resources(root: checkout)
    }

    /// The checkout above SwiftPM's `.build/PLATFORM/debug`; `nil` if the executable was built elsewhere.
    static func checkout(of executable: URL) -> URL? {
        let path = executable.path
        guard let build = path.range(of: "/.build/", options: .backwards) else { return nil }
        let root = URL(fileURLWithPath: String(path[..<build.lowerBound]))
        let isCheckout = ["Package.swift", "templates"].allSatisfy {
            FileManager.default.fileExists(atPath: root.appendingPathComponent($0).path)
        }
        return isCheckout ? root : nil
    }

    /// The location of a file or folder.
    package func url(_ path: String) -> URL {
        root.appendingPathComponent(path)
    }

    /// A file's bytes.
    /// - Throws: an error of the file system.
    package func data(_ path: String) throws -> Data {
        try Data(contentsOf: url(path))
    }

    /// A file's text.
    /// - Throws: an error of the file system.
    package func text(_ path: String) throws -> String {
        String(decoding: try data(path), as: UTF8.self)
    }

    /// Names of the files in a folder, sorted.
    /// - Throws: an error of the file system.
    package func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url(folder).path).sorted()
    }
}
