import ArgumentParser

/// The executable's commands; serving is what happens without one.
struct HappinessCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "HappinessAPI", abstract: "Anonymous team happiness, served and administered.",
        subcommands: [
            ServeCommand.self, MigrateCommand.self, BackupCommand.self, RestoreCommand.self,
            CheckCommand.self, UserCommand.self, TeamCommand.self, JobsCommand.self,
        ],
        defaultSubcommand: ServeCommand.self)
}
