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
        discussion: """
            Prints every setting that is not valid, every line of .env that is not read or has no effect, and every setting \
            of the first system.
            """)

    func run() async throws {
        var notices: [String] = []
        try await reportingFailure {
            notices = try SettingsFile.standard().notices
            notices += FormerSettings.notices(in: ProcessInfo.processInfo.environment)
            for notice in notices { ProgramOutput.print(notice) }
            _ = try await Settings.load()
            if notices.isEmpty { ProgramOutput.print("All settings are valid.") }
        }
        guard notices.isEmpty else { throw ExitCode.failure }
    }
}
