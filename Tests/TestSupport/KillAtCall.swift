import Foundation
import Subprocess

/// Kills a program just before one of its system calls that change files or send to a server. See `kill_at_call.c`.
package struct KillAtCall: Sendable {
    private let library: String

    /// Compiles what the programs load.
    /// - Throws: `Failure`.
    package static func make(in directory: TemporaryDirectory) async throws -> KillAtCall {
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("kill_at_call.c").path
        let library = directory.path("kill_at_call.so")
        let result = try await Subprocess.run(
            .name("cc"),
            // Not optimised, which would replace `open` and others by inline functions.
            arguments: ["-shared", "-fPIC", "-O0", "-U_FORTIFY_SOURCE", "-o", library, source], output: .discarded,
            error: .discarded)
        guard result.terminationStatus.isSuccess else { throw Failure() }
        return KillAtCall(library: library)
    }

    /// What is set for a program that is killed.
    /// - Parameter call: beginning with 1. A program that makes fewer calls is not killed.
    package func settings(call: Int) -> [String: String] {
        ["LD_PRELOAD": library, "KILL_AT_CALL": "\(call)"]
    }

    /// The library could not be compiled.
    struct Failure: Error, CustomStringConvertible {
        let description = "cc could not compile kill_at_call.c. Install the package gcc."
    }
}
