import ArgumentParser
import Foundation
import Services

/// `HappinessAPI config …`: about the settings.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Check the settings.", subcommands: [ConfigCheckCommand.self])
}

/// `config check`: validates the settings without opening the store.
struct ConfigCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check the settings of API and worker, and change nothing.",
        discussion: "Prints every setting that isn’t valid, and every line of .env that isn’t a setting.")

    func run() async throws {
        let unknown = SettingsFile.standard.unknownKeys
        for key in unknown { print("\(key) in .env isn’t a setting.") }
        try await reportingFailure { _ = try await Settings.load() }
        guard unknown.isEmpty else { throw ExitCode.failure }
        print("All settings are valid.")
    }
}
