import ArgumentParser
import Foundation
import Product
import Services

/// `HappinessAPI export FILE`
struct ExportCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write people, teams, results and actions as JSON.",
        discussion: """
            For other programs, and for moving to another tool. It holds what administrators and members can read, so it \
            cannot be restored: see `HappinessAPI backup`. Only sprints that are over are in it.
            """)

    @Argument(help: "The file to write; it must not exist yet. - writes to standard output.")
    var file: OutputFile
    @Flag(help: "With the feedback that a whole team may read, each text with its sprint.")
    var withFeedback = false

    func run(in context: CommandContext) async throws {
        let export = context.export
        guard !file.isStandardOutput else {
            _ = try await export.write(withFeedback: withFeedback, to: ProgramOutput.printBytes)
            return
        }
        let count = try await file.write { target in
            try await export.write(withFeedback: withFeedback, to: target.write(contentsOf:))
        }
        context.output(
            "Wrote \(file.path): \(count.users) \(count.users == 1 ? "user" : "users"), "
                + "\(count.teams) \(count.teams == 1 ? "team" : "teams").")
    }
}
