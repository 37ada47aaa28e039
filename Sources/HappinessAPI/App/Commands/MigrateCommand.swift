import ArgumentParser
import Services

/// `HappinessAPI migrate`: migrates the store to this program's schema. The server does the same at start.
struct MigrateCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Update the store to the schema this program needs.")

    @Flag(help: "Only show which migrations the store has; change nothing.")
    var status = false

    var preparesStore: Bool { false }

    func run(in context: CommandContext) async throws {
        let store = context.store
        if status {
            for migration in try await store.migrations() {
                context.output("\(migration.isApplied ? "applied" : "missing")  \(migration.name)")
            }
            return
        }
        let names = try await store.migrate()
        for name in names {
            context.output("Applied \(name).")
        }
        if names.isEmpty {
            context.output("Nothing to do: the \(store.kind) store is up to date.")
        }
    }
}
