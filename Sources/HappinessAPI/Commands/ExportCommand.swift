import ArgumentParser
import Foundation
import Services

/// `HappinessAPI export FILE`
struct ExportCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write people, teams, results and actions as JSON.",
        discussion: """
            For other programs, and for moving to another tool. It holds what administrators and members can read, so it \
            cannot be restored: see `HappinessAPI backup`. Only sprints that are over are in it.
            """)

    @Argument(help: "The file to write; it must not exist yet. - writes to standard output.", completion: .file())
    var file: String
    @Flag(help: "With the feedback that a whole team may read, each text with its sprint.")
    var withFeedback = false

    func run(in context: CommandContext) async throws {
        let export = InstallationExport(stores: context.stores, secret: context.secrets.ballot, clock: .system)
        guard file != "-" else {
            _ = try await export.write(withFeedback: withFeedback, to: ProgramOutput.printBytes)
            return
        }
        guard !FileManager.default.fileExists(atPath: file) else {
            throw OperatorError("\(file) exists already. Choose another name.")
        }
        let draft = "\(file).\(UUID().uuidString)"
        guard FileManager.default.createFile(atPath: draft, contents: nil, attributes: [.posixPermissions: 0o600]),
            let handle = FileHandle(forWritingAtPath: draft)
        else { throw OperatorError("\(file) cannot be written.") }
        do {
            let count = try await export.write(withFeedback: withFeedback, to: handle.write(contentsOf:))
            try handle.synchronize()
            try handle.close()
            try FileManager.default.moveItem(atPath: draft, toPath: file)
            context.output(
                "Wrote \(file): \(count.users) \(count.users == 1 ? "user" : "users"), "
                    + "\(count.teams) \(count.teams == 1 ? "team" : "teams").")
        } catch {
            try? handle.close()
            try? FileManager.default.removeItem(atPath: draft)
            throw error
        }
    }
}
