import Domain
import Foundation
import Logging
import Services
import Subprocess
import SystemPackage
import TestSupport
import Testing

@testable import HappinessAPI

/// The processes of the program: how many, how long, and what happens on errors.
@Suite struct PictureProcessTests {
    private let logger = Logger(label: "pictures")

    @Test func `Twenty pictures at once are converted, or refused at once`() async throws {
        try await PictureCorpus.with("kinds") { corpus in
            let maker = PictureProcess(logger: logger)
            let reasons = try await withThrowingTaskGroup(of: AppError.Reason?.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        do {
                            _ = try await maker.make(from: corpus.path("plain.jpg"))
                            return nil
                        } catch let error as AppError {
                            return error.reason
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(reasons.count { $0 == nil } >= 18)
            #expect(reasons.allSatisfy { $0 == nil || $0 == .picturesBusy })
        }
    }

    @Test func `A picture that needs much memory is converted when no other is`() async throws {
        try await PictureCorpus.with("shapes") { corpus in
            let maker = PictureProcess(logger: logger)
            try await withThrowingTaskGroup(of: MadePicture.self) { group in
                for name in ["progressive-large.jpg", "phone.jpg", "progressive-large.jpg", "tall.jpg"] {
                    group.addTask { try await maker.make(from: corpus.path(name)) }
                }
                for try await made in group { #expect(made.forms.count == 4) }
            }
        }
    }

    @Test func `A program that does not end is killed`() async throws {
        try await withTool("while :; do :; done") { tool, _ in
            let maker = PictureProcess(tool: tool, logger: logger, timeLimit: .milliseconds(100))
            let error = await #expect(throws: AppError.self) { try await maker.make(from: "/tmp/picture") }
            #expect(error?.reason == .pictureUnreadable)
        }
    }

    @Test func `A program is killed when nobody waits for its picture any more`() async throws {
        // The program sends its process id through a pipe that opens when both ends are connected, and then runs
        // forever.
        try await withTool("echo $$ > \"$2.pipe\"; while :; do :; done") { tool, folder in
            let pipe = folder.path("picture.pipe")
            #expect(mkfifo(pipe, 0o600) == 0)
            let maker = PictureProcess(tool: tool, logger: logger)
            let making = Task { try await maker.make(from: folder.path("picture")) }
            let said = try await run(
                .path("/bin/cat"), arguments: Arguments([pipe]), output: .string(limit: 100))
            making.cancel()
            await #expect(throws: CancellationError.self) { try await making.value }
            let identifier = try #require(pid_t(said.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)))
            #expect(kill(identifier, 0) == -1 && errno == ESRCH, "it is gone")
        }
    }

    @Test(arguments: ["kill -SEGV $$", "kill -KILL $$", "exit 7", "exit 65"])
    func `However a decoder dies, the picture cannot be read`(script: String) async throws {
        try await withTool(script) { tool, _ in
            let error = await #expect(throws: AppError.self) {
                try await PictureProcess(tool: tool, logger: logger).make(from: "/tmp/picture")
            }
            #expect(error?.reason == .pictureUnreadable && error?.code == .unprocessable)
        }
    }

    @Test(arguments: ["exit 0", "printf 'abc'", "printf '\\0\\0\\0\\11abc'", "exit 71", "exit 64"])
    func `Output that is no picture of ours is not passed on`(script: String) async throws {
        try await withTool(script) { tool, _ in
            let error = await #expect(throws: AppError.self) {
                try await PictureProcess(tool: tool, logger: logger).make(from: "/tmp/picture")
            }
            #expect(error?.reason == .picturesUnavailable)
        }
    }

    @Test func `Output larger than any picture is not kept`() async throws {
        try await withTool("while :; do echo 0123456789012345678901234567890123456789; done") { tool, _ in
            await #expect(throws: AppError.self) {
                try await PictureProcess(tool: tool, logger: logger).make(from: "/tmp/picture")
            }
        }
    }

    @Test func `Without the program, pictures are unavailable and the log says why`() async throws {
        let log = CapturedLog()
        let maker = PictureProcess(tool: "/nowhere/PictureTool", logger: log.logger)
        let error = await #expect(throws: AppError.self) { try await maker.make(from: "/tmp/picture") }
        #expect(error?.code == .unavailable && error?.retryAfter != nil)
        #expect(log.lines.count == 1)
        #expect(log.lines.first?.contains("/nowhere/PictureTool") == true)
    }

    /// Runs `body` with a shell script as program.
    private func withTool(
        _ script: String, _ body: (String, TemporaryDirectory) async throws -> Void
    ) async throws {
        try await TemporaryDirectory.with { folder in
            let tool = folder.path("tool")
            try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(filePath: tool))
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: tool)
            try await body(tool, folder)
        }
    }
}
