import Foundation
import Subprocess
import SystemPackage
import TestSupport

/// Pictures made by Pillow as a test asks for them, and what Pillow says about ours.
struct PictureCorpus {
    /// What a picture is, by the eyes of another program.
    struct Findings: Decodable {
        let format: String
        let width: Int
        let height: Int
        let mode: String
        /// Names of what is said beside the pixels.
        let info: Set<String>
        /// Number of entries.
        let exif: Int
        /// Red, green and blue of nine places in three rows.
        let colors: [[Int]]
    }

    /// Why there are no pictures.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let folder: TemporaryDirectory

    /// Makes a group of pictures (see make_pictures.py), lends it, removes it.
    static func with<Value>(
        _ group: String, isolation: isolated (any Actor)? = #isolation, _ body: (PictureCorpus) async throws -> Value
    ) async throws -> Value {
        try await TemporaryDirectory.with { folder in
            _ = try await python(["make", folder.url.path, group])
            return try await body(PictureCorpus(folder: folder))
        }
    }

    /// In order.
    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
    }

    /// Where a picture is.
    func path(_ name: String) -> String {
        folder.path(name)
    }

    /// Looks at pictures with Pillow.
    static func inspect(_ pictures: [[UInt8]]) async throws -> [Findings] {
        try await TemporaryDirectory.with { folder in
            let paths = pictures.indices.map { folder.path("\($0)") }
            for (path, picture) in zip(paths, pictures) { try Data(picture).write(to: URL(filePath: path)) }
            return try JSONDecoder().decode([Findings].self, from: await python(["inspect"] + paths))
        }
    }

    private static func python(_ arguments: [String]) async throws -> Data {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
        let python = Repository.root.appending(path: ".venv/bin/python3")
        guard FileManager.default.isExecutableFile(atPath: python.path) else {
            throw Failure(description: "No Pillow in .venv. Run scripts/setup-venv.sh (make setup does).")
        }
        let result = try await run(
            .path(FilePath(python.path)),
            arguments: Arguments([tests.appending(path: "make_pictures.py").path] + arguments),
            output: .bytes(limit: 1 << 20), error: .string(limit: 1 << 16))
        guard result.terminationStatus.isSuccess else { throw Failure(description: result.standardError) }
        return Data(result.standardOutput)
    }
}
