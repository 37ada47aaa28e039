import Foundation
import Services
import TestSupport
import Testing

@Suite struct OperatorMessageTests {
    @Test func `A missing file is named`() async throws {
        try await TemporaryDirectory.with { directory in
            let resources = Resources(root: directory.url)
            let (file, folder) = (directory.path("templates/vote.html"), directory.path("templates"))
            #expect(Self.text { try resources.data("templates/vote.html") } == "There’s no \(file).")
            #expect(Self.text { try resources.names(in: "templates") } == "There’s no \(folder).")
        }
    }

    @Test func `A file that cannot be written is named without Foundation's numbers`() async throws {
        try await TemporaryDirectory.with { directory in
            let file = directory.path("file")
            try Data().write(to: URL(fileURLWithPath: file))
            let text = Self.text {
                try FileManager.default.createDirectory(atPath: file + "/data", withIntermediateDirectories: true)
            }
            #expect(text == "\(file)/data: Not a directory.")
        }
    }

    @Test func `A file in the place of a folder is named with its setting`() async throws {
        try await TemporaryDirectory.with { directory in
            let file = directory.path("file")
            try Data().write(to: URL(fileURLWithPath: file))
            let text = Self.text {
                try OperatorMessage.writing(to: file, setting: "BACKUP_DIR") {
                    try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
                }
            }
            let start = "BACKUP_DIR is \(file), and this program cannot use that folder. "
            #expect(text == start + "There’s a file at \(file) already. Correct owner and rights, or BACKUP_DIR.")
        }
    }

    private static func text(_ body: () throws -> Any) -> String {
        do {
            _ = try body()
            return "no error"
        } catch {
            return OperatorMessage.text(for: error)
        }
    }
}
