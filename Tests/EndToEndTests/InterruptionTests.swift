import Foundation
import Services
import TestSupport
import Testing

/// Commands that are interrupted, and files that are handed over to them.
@Suite struct InterruptionTests {
    @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGKILL])
    func `An interrupted command leaves no temporary file, or the next start removes it`(signal: Int32) async throws {
        try await Installation.with(.sqlite) { installation in
            _ = try await installation.withStores { try await VotingTeam.make(3, in: $0) }
            let backup = installation.directory.path("backup")
            let made = try await installation.run(
                .api, "backup", backup, settings: ["BACKUP_PUBLIC_KEY": BackupKey.makePair().publicText])
            #expect(made.status == 0 && made.output.contains("encrypted"), "\(made.log)")
            let temporary = installation.directory.path("data/temporary")
            func left() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: temporary) }
            #expect(try left().isEmpty)

            // It waits for the key, which never comes.
            let key = installation.directory.path("key")
            try #require(mkfifo(key, 0o600) == 0)
            let verifying = try await ServerProcess.launch(
                .api, ["backups", "verify", backup, "--key", key], settings: installation.settings,
                in: installation.directory)
            var writer: Int32 = -1
            try await eventually("it reads the key", within: .seconds(30)) {
                writer = open(key, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
                return writer >= 0
            }
            defer { close(writer) }
            #expect(try left().count == 1)
            verifying.signal(signal)
            let status = try await verifying.untilEnd()
            if signal == SIGKILL {
                #expect(try status == -SIGKILL && left().count == 1)
                #expect(try await installation.run(.api, "check").status == 0)
            } else {
                #expect(status == 128 + signal, "\(verifying.log)")
            }
            #expect(try left().isEmpty)
        }
    }

    @Test func `Commands read and write the files that were handed over`() async throws {
        try await Installation.with(.sqlite) { installation in
            let added = try await installation.run(.api, "team", "add", "Blue")
            #expect(added.status == 0, "\(added.log)")
            let imported = try await installation.run(
                .api, "team", "import", "Blue", "history of 2025.csv",
                settings: ["HAPPINESS_FILES": "0 history of 2025.csv\n"],
                input: "start,end,happiness,votes,eligible\n2025-12-08,2025-12-21,4,6,9")
            #expect(imported.status == 0 && imported.output.contains("Imported 1 result into Blue"), "\(imported.log)")
            let file = installation.directory.path("export")
            let exported = try await installation.run(
                .api, "export", file, settings: ["HAPPINESS_FILES": "1 \(file)\n"])
            #expect(exported.output.contains("\"Blue\"") && exported.output.contains("Wrote \(file)"), "\(exported)")
            #expect(!FileManager.default.fileExists(atPath: file))
        }
    }
}
