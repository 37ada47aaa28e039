import Foundation
import TestSupport
import Testing

@testable import Product

/// The commands that the programs print can be pasted, however they were installed.
@Suite struct ProgramCallTests {
    @Test func `A checkout's program is called by its path from where one is`() {
        func text(_ workingFolder: String, _ folder: String = "/home/a/happiness/.build/debug") -> String {
            ProgramCall(folder: folder, workingFolder: workingFolder, environment: ["PATH": "/nonexistent"]).text
        }
        #expect(text("/home/a/happiness") == ".build/debug/HappinessAPI")
        #expect(text("/home/a/happiness/.build/debug") == "./HappinessAPI")
        #expect(text("/home/a/happ") == "/home/a/happiness/.build/debug/HappinessAPI")
        #expect(text("/") == "/home/a/happiness/.build/debug/HappinessAPI")
        #expect(text("/home", "/home/it's mine/bin") == #"'it'\''s mine/bin/HappinessAPI'"#)
    }

    @Test func `A program in the PATH is called by its name, but not one behind another of that name`() async throws {
        try await TemporaryDirectory.with { directory in
            let real = directory.url.resolvingSymlinksInPath().path
            for name in ["bin", "other", "links"] {
                try FileManager.default.createDirectory(
                    atPath: "\(real)/\(name)", withIntermediateDirectories: false)
            }
            for name in ["bin", "other"] {
                let file = "\(real)/\(name)/HappinessAPI"
                try #require(
                    FileManager.default.createFile(
                        atPath: file, contents: Data(), attributes: [.posixPermissions: 0o755]))
            }
            try FileManager.default.createSymbolicLink(
                atPath: "\(real)/links/HappinessAPI", withDestinationPath: "\(real)/bin/HappinessAPI")
            func text(_ path: String...) -> String {
                let folders = path.map { "\(real)/\($0)" }.joined(separator: ":")
                return ProgramCall(folder: "\(real)/bin", workingFolder: "/", environment: ["PATH": folders]).text
            }
            #expect(text("bin") == "HappinessAPI")
            #expect(text("missing", "links") == "HappinessAPI")
            #expect(text("other", "bin") == ProgramCall.quoted("\(real)/bin/HappinessAPI"))
        }
    }

    @Test func `Packages and containers have commands of their own`() {
        let package = ProgramCall(
            folder: "/usr/lib/happiness-metric/bin", workingFolder: "/var/lib/happiness-metric", environment: [:])
        #expect(package.text == "sudo happiness-metric" && package.place == .package)
        let image = ProgramCall(folder: "/app/bin", workingFolder: "/data", environment: ["PATH": "/app/bin"])
        #expect(image.text == "api" && image.place == .container)
        let compose = ProgramCall(
            folder: "/app/bin", workingFolder: "/data",
            environment: [ProgramCall.variable: "docker compose exec api api"])
        #expect(
            compose.pasteable("Nothing works. Repeat it: HappinessAPI restore FILE")
                == "Nothing works. Repeat it: docker compose exec api api restore FILE")
        #expect(compose.pasteable("HappinessAPI.") == "HappinessAPI.")
    }
}
