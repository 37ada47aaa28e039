import ArgumentParser
import Product

/// The root command. Serves unless a subcommand is given.
struct HappinessCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "HappinessAPI", abstract: "Happiness of teams: serves the votes and administers them.",
        version: ProductVersion.current,
        subcommands: [
            ServeCommand.self, ConfigCommand.self, DoctorCommand.self, HealthCommand.self, MigrateCommand.self,
            BackupCommand.self, BackupsCommand.self, BackupKeyCommand.self, RestoreCommand.self, MoveCommand.self,
            ExportCommand.self, CheckCommand.self, ClassicImportCommand.self,
            SetupCommand.self, TrialCommand.self,
            UserCommand.self, TeamCommand.self, SprintsCommand.self, JobsCommand.self,
        ],
        defaultSubcommand: ServeCommand.self)
}
