import ArgumentParser
import Foundation
import Services

/// `HappinessAPI backup`: copies the store to a file while the server runs.
struct BackupCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Write a copy of the store to a file while everything else keeps running.",
        discussion: """
            The file holds no order in which anything was stored, and never BALLOT_SECRET: keep that somewhere else. \
            Pictures are not in it.
            """)

    @Argument(help: "The file to write; it must not exist yet.", completion: .file())
    var file: String

    func run(in context: CommandContext) async throws {
        try await context.stores.system.backUp(to: file)
        context.output("Wrote \(file).")
    }
}

/// `HappinessAPI restore`: replaces the store by a backup; server and worker must be stopped.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Replace the store with a backup, while API and worker are stopped.",
        discussion: "BALLOT_SECRET and JWT_SECRET must be those that were set when the backup was created.")

    @Argument(help: "A file that `HappinessAPI backup` wrote.", completion: .file())
    var file: String

    func run() async throws {
        do {
            let settings = try await Settings.load()
            let secrets = try Secrets.load(settings)
            let kept = try await settings.store.restore(file)
            let stores = try settings.store.open()
            let result: Result<Void, any Error>
            do {
                _ = try await stores.system.migrate()
                try await secrets.matchFingerprints(in: stores.system)
                try await stores.system.requireSound()
                result = .success(())
            } catch {
                result = .failure(error)
            }
            try await stores.system.close()
            print("Restored \(file).")
            if let kept { print("The previous store is kept as \(kept). Remove it when everything works.") }
            try result.get()
        } catch {
            FileHandle.standardError.write(Data("Error: \(OperatorMessage.text(for: error))\n".utf8))
            throw ExitCode.failure
        }
    }
}

/// `HappinessAPI check`: verifies the store.
struct CheckCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check whether the store is sound, as API and worker do when they start.")

    @Flag(
        help: """
            Continue with a store whose ballots and receipts don’t match. People whose receipts are lost can vote again in \
            the current sprint.
            """)
    var accept = false

    func run(in context: CommandContext) async throws {
        if accept { try await context.stores.system.acceptMismatches() }
        try await context.stores.system.requireSound()
        context.output("The \(context.stores.system.kind) store is sound.")
    }
}
