import Domain
import Foundation
import Mail
import Ports
import TestSupport
import Testing

@Suite struct FileDriverTests {
    @Test func `A mail is a file that opens, and its link is printed`() async throws {
        try await TemporaryDirectory.with { directory in
            let printed = PrintedLines()
            let driver = FileDriver(outbox: directory.path("outbox")) { printed.append($0) }
            let message = try MailFixtures.message(link: "https://happiness.example.org/reset?token=t")
            try await driver.send(message)
            let file = directory.path("outbox/20261121T002851123Z-\(message.id).eml")
            let parsed = try ParsedMail(try Data(contentsOf: URL(fileURLWithPath: file)))
            #expect(parsed.subject == "Hello")
            #expect(printed.all == ["mail: \(file)\n      https://happiness.example.org/reset?token=t"])
        }
    }

    @Test func `Only the owner can read it`() async throws {
        try await TemporaryDirectory.with { directory in
            try await FileDriver(outbox: directory.path("outbox")) { _ in }.send(MailFixtures.message())
            let names = try FileManager.default.contentsOfDirectory(atPath: directory.path("outbox"))
            #expect(names.count == 1)
            for (path, mode) in [("outbox", 0o700)] + names.map({ ("outbox/\($0)", 0o600) }) {
                let attributes = try FileManager.default.attributesOfItem(atPath: directory.path(path))
                #expect(attributes[.posixPermissions] as? Int == mode, "\(path)")
            }
        }
    }

    @Test func `A second attempt replaces the file`() async throws {
        try await TemporaryDirectory.with { directory in
            let driver = FileDriver(outbox: directory.path("outbox")) { _ in }
            try await driver.send(MailFixtures.message())
            try await driver.send(MailFixtures.message())
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path("outbox")).count == 1)
        }
    }

    @Test func `A folder that cannot be created is tried again`() async throws {
        try await TemporaryDirectory.with { directory in
            try Data().write(to: directory.url.appendingPathComponent("file"))
            let driver = FileDriver(outbox: directory.path("file/outbox")) { _ in }
            await #expect(throws: MailError.unavailable("the outbox folder cannot be written to")) {
                try await driver.send(MailFixtures.message())
            }
        }
    }
}
