import Domain
import Foundation
import Logging
import PictureToolInterface
import Subprocess
import SystemPackage
import TestSupport
import Testing

@testable import HappinessAPI

/// Which files are rejected, with which message.
@Suite struct RejectedPictureTests {
    private static let maker = PictureProcess(logger: Logger(label: "pictures"))

    @Test func `Everything else is refused by its name`() async throws {
        try await PictureCorpus.with("refused") { corpus in
            let names = try corpus.names()
            #expect(names.count > 30)
            for name in names {
                let verdict = try await Self.verdict(on: corpus.path(name))
                #expect("\(verdict)" == name.prefix { $0 != "." && $0 != "-" }, "\(name)")
            }
        }
    }

    /// 200 of them: whatever happens inside, the program exits with a verdict within its time.
    @Test func `Damage anywhere is survived or named`() async throws {
        try await PictureCorpus.with("mutations") { corpus in
            let names = try corpus.names()
            #expect(names.count == 200)
            var verdicts: [PictureVerdict: Int] = [:]
            for name in names {
                let start = ContinuousClock.now
                verdicts[try await Self.verdict(on: corpus.path(name)), default: 0] += 1
                #expect(ContinuousClock.now - start < .seconds(30), "\(name)")
            }
            #expect(verdicts[.damaged, default: 0] > 20)
            #expect(verdicts[.misused] == nil && verdicts[.systemFault] == nil)
        }
    }

    @Test func `Refusals name the error`() async throws {
        let refusals: [(name: String, code: AppError.Code, reason: AppError.Reason, words: String)] = [
            ("heic.jpg", .unsupportedMediaType, .pictureType, "HEIC"),
            ("gif.gif", .unsupportedMediaType, .pictureType, "GIF"),
            ("animated.webp", .unsupportedMediaType, .pictureAnimated, "still"),
            ("tooManyPixels.jpg", .tooLarge, .pictureTooLarge, "100 megapixels"),
            ("tooLong.png", .tooLarge, .pictureTooLarge, "30000"),
            ("tooSmall.png", .unprocessable, .pictureTooSmall, "16"),
            ("damaged-50.jpg", .unprocessable, .pictureUnreadable, "incomplete"),
            ("empty.jpg", .unprocessable, .pictureUnreadable, "empty"),
        ]
        try await PictureCorpus.with("refused") { corpus in
            for (name, code, reason, words) in refusals {
                let error = try #require(
                    await #expect(throws: AppError.self, "\(name)") {
                        try await Self.maker.make(from: corpus.path(name))
                    })
                #expect(error.code == code && error.reason == reason, "\(name)")
                #expect(error.message.contains(words), "\(name)")
            }
        }
    }

    @Test func `A folder or a missing file is no picture`() async throws {
        for path in ["/tmp", "/nowhere/at/all", "/dev/zero"] {
            #expect(try await Self.verdict(on: path) == .noFile)
        }
    }

    @Test(arguments: [
        [], ["make"], ["make", "/tmp/x"], ["make", "/tmp/x", "a", "96"], ["other"], ["initials", "A", "red", "96"],
    ])
    func `Unknown arguments are refused`(arguments: [String]) async throws {
        #expect(try await Self.verdict(arguments) == .misused)
    }

    private static func verdict(on path: String) async throws -> PictureVerdict {
        try await verdict(["make", path, "56", "512", "96"])
    }

    /// - Throws: if the program ends in any other way than with a verdict.
    private static func verdict(_ arguments: [String]) async throws -> PictureVerdict {
        let result = try await run(
            .path(FilePath(PictureProcess.toolBesideThisProgram)), arguments: Arguments(arguments),
            environment: .custom([Environment.Key: String]()), output: .bytes(limit: 4 << 20),
            error: .string(limit: 1_000))
        #expect(result.standardError.isEmpty)
        guard case .exited(let code) = result.terminationStatus else { throw Ended(status: result.terminationStatus) }
        return try #require(PictureVerdict(rawValue: code))
    }

    private struct Ended: Error {
        let status: TerminationStatus
    }
}
