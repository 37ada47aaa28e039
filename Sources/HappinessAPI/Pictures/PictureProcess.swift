import Domain
import Foundation
import Logging
import Outbound
import PictureToolInterface
import Services
import Subprocess
import SystemPackage

/// Creates pictures by running `PictureTool`, one process per picture, so that a fault in a decoder cannot harm the
/// server.
///
/// All of them together stay below 210 MiB: either two with little memory or one with much, see
/// docs/decisions/0014-pictures-are-processed-in-a-separate-process.md. A server has one instance of this class.
final class PictureProcess: PictureMaker {
    /// MiB that each of two processes may use, in addition to the 46 MiB of its libraries.
    private static let littleMemory = 56
    /// MiB that a process may use while no other one runs.
    private static let muchMemory = 160
    /// Bytes. Twice the size of four pictures of noise, which compresses worst.
    private static let outputLimit = 2 << 20

    private let tool: String
    private let logger: Logger
    private let timeLimit: Duration
    private let turns: PictureLimiter

    /// - Parameters:
    ///   - tool: path of the program; it is installed next to the server.
    ///   - logger: logs a missing program, and one that was ended by a signal.
    ///   - timeLimit: the process is killed after this time. It ends by itself after ten seconds of CPU time; the limit
    ///     leaves room for that on a busy machine.
    ///   - queueLimit: how many requests may wait while two pictures are created.
    init(
        tool: String = PictureProcess.toolBesideThisProgram, logger: Logger, timeLimit: Duration = .seconds(30),
        queueLimit: Int = 16
    ) {
        self.tool = tool
        self.logger = logger
        self.timeLimit = timeLimit
        turns = PictureLimiter(places: 2, queueLimit: queueLimit)
    }

    /// The path of `PictureTool` when it was built or installed with this program.
    static let toolBesideThisProgram =
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "PictureTool").path

    func make(from path: String) async throws -> MadePicture {
        let sides = ProfilePicture.Size.allCases
        func arguments(_ mebibytes: Int) -> [String] {
            ["make", path, "\(mebibytes)"] + sides.map { "\($0.rawValue)" }
        }
        let output: [UInt8]
        do {
            output = try await turns.inTurn(places: 1) { try await run(arguments(Self.littleMemory)) }
        } catch PictureVerdict.needsMoreMemory {
            do {
                // This picture has waited before, so it comes next.
                output = try await turns.inTurn(places: 2, isNext: true) { try await run(arguments(Self.muchMemory)) }
            } catch let verdict as PictureVerdict {
                throw rejection(verdict)
            }
        } catch let verdict as PictureVerdict {
            throw rejection(verdict)
        }
        // The order in which the tool writes the pictures.
        let forms = sides.flatMap { [MadePicture.Form($0, .webp), MadePicture.Form($0, .jpeg)] }
        guard let pictures = PictureFrames.split(output), pictures.count == forms.count else {
            throw rejection(.systemFault)
        }
        return MadePicture(forms: Dictionary(uniqueKeysWithValues: zip(forms, pictures)))
    }

    func initials(_ letters: String, on color: String, side: Int) async throws -> [UInt8] {
        do {
            return try await turns.inTurn(places: 1) { try await run(["initials", letters, color, "\(side)"]) }
        } catch let verdict as PictureVerdict {
            throw rejection(verdict)
        }
    }

    /// Runs the program and returns its output. Kills it after the time limit, or when the task is cancelled.
    /// - Throws: `PictureVerdict`, `AppError`, `CancellationError`.
    private func run(_ arguments: [String]) async throws -> [UInt8] {
        let finished = try await withDeadline(timeLimit, orThrow: AppError.pictureTakesTooLong) {
            try await self.finish(arguments)
        }
        try Task.checkCancellation()
        switch finished.status {
        case .exited(let code):
            let verdict = PictureVerdict(rawValue: code) ?? .damaged
            guard verdict == .made else { throw verdict }
            return finished.output
        case .signaled(SIGALRM), .signaled(SIGXCPU):
            throw AppError.pictureTakesTooLong
        case .signaled(let signal):
            // The decoder crashed; this process contains it.
            logger.warning("The picture tool was ended by a signal", metadata: ["signal": "\(signal)"])
            throw PictureVerdict.damaged
        }
    }

    private struct Finished: Sendable {
        let status: TerminationStatus
        let output: [UInt8]
    }

    private func finish(_ arguments: [String]) async throws -> Finished {
        do {
            let result = try await Subprocess.run(
                .path(FilePath(tool)), arguments: Arguments(arguments),
                environment: .custom([Subprocess.Environment.Key: String]()), output: .bytes(limit: Self.outputLimit))
            return Finished(status: result.terminationStatus, output: result.standardOutput)
        } catch let error as SubprocessError {
            try Task.checkCancellation()
            logger.error(
                "The picture tool cannot be run; it belongs beside the server's own program",
                metadata: ["path": "\(tool)", "error": "\(error)"])
            throw AppError.picturesUnavailable
        }
    }

    private func rejection(_ verdict: PictureVerdict) -> AppError {
        switch verdict {
        case .made, .misused, .noFile, .systemFault:
            logger.error("The picture tool failed", metadata: ["verdict": "\(verdict)"])
            return .picturesUnavailable
        default:
            return AppError(refusing: verdict)
        }
    }
}
