import TestSupport
import Testing

@testable import HappinessAPI

/// The files of a command line, which the Debian package's command opens as its caller.
@Suite struct CallerFileTests {
    @Test(
        arguments: [
            ("backup f", "write f"), ("backup --plain f", "write f"), ("restore f", "read f"),
            ("restore f --key k", "read f,read k"), ("restore --key=k --with-other-secrets f", "read f,read k"),
            ("backups verify f --key k", "read f,read k"), ("backups download 2026-01-01 f", "write f"),
            ("backups restore-pictures --key k", "read k"), ("backups restore-pictures", ""),
            ("export f --with-feedback", "write f"), ("export -", ""), ("backup -", ""),
            ("backups download 2026-01-01 -", ""), ("team import Blue f", "read f"),
            ("team import Blue -", ""), ("user add f f@example.org", ""), ("backup", ""), ("no-command f", ""),
            ("--help", ""), ("", ""),
        ])
    func `A command line's files are listed`(line: String, files: String) {
        let list = CallerFile.list(line.split(separator: " ").map(String.init))
        #expect(list.split(separator: "\n").joined(separator: ",") == files)
    }

    @Test func `No command takes the path of a file as a plain text`() throws {
        for source in try Repository.sources(in: "Sources/HappinessAPI/App/Commands") {
            #expect(!source.text.contains("completion: .file"), "\(source.path)")
        }
    }
}
